// The options struct of every package as a tool that knows no model's header fills it.
#pragma once

#include <cstddef>

namespace frit {

/// The layout of every package's <m>_options (header.cpp). A package whose struct is shorter (made
/// by an older frit) reads the beginning.
struct PackageStart {
  std::size_t size = sizeof(PackageStart);
  void* arena = nullptr;
  std::size_t arena_bytes = 0;
  int threads = 0;
  int cpu_level = 0;
  const void* weights = nullptr;
  std::size_t weights_bytes = 0;
  int weights_trusted = 0;
};

inline constexpr std::size_t kContextWords = 16;  ///< 64-bit words of <m>_context (header.cpp)

}  // namespace frit

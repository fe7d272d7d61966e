// The C files of runtime/, embedded at build (runtime/embed.cmake), so that the compiler needs no
// source tree to make a package.
#pragma once

#include <string>
#include <vector>

namespace frit {

struct RuntimeSource {
  std::string name;  ///< "memory.c"
  std::string text;
};

/// Sources and headers, in the order of runtime/CMakeLists.txt.
const std::vector<RuntimeSource>& runtime_sources();

}  // namespace frit

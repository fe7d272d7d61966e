// A PNG file as bytes in B,G,R order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ocr {

struct Picture {
  int height = 0, width = 0;
  std::vector<std::uint8_t> bgr;  ///< [height,width,3], channels fastest

  std::size_t index(int y, int x) const {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
            static_cast<std::size_t>(x)) *
           3;
  }
};

/// Any PNG of at most 64 million pixels; transparency lies on white. Returns "" or the reason why
/// the file could not be read.
std::string read_png(const std::string& path, Picture& picture);

/// Returns "" or the reason why the file could not be written.
std::string write_png(const std::string& path, const Picture& picture);

}  // namespace ocr

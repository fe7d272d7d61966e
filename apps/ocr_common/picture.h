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

/// Any PNG of at most 64 million pixels: grey, palette, 16 bits (taken for sRGB where the file does
/// not say), interlaced; transparency lies on white. Returns "" or a sentence with the file, why it
/// could not be read, and the next step.
std::string read_png(const std::string& path, Picture& picture);

/// The whole file or nothing. Returns "" or a sentence as above.
std::string write_png(const std::string& path, const Picture& picture);

}  // namespace ocr

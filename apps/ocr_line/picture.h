// A PNG file as bytes in B,G,R order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ocr {

struct Picture {
  int height = 0, width = 0;
  std::vector<std::uint8_t> bgr;  ///< [height,width,3], channels fastest
};

/// Any PNG of at most 64 million pixels; transparency lies on white. Returns "" or the reason why
/// the file could not be read.
std::string read_png(const std::string& path, Picture& picture);

}  // namespace ocr

#include "apps/ocr/page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "apps/ocr_common/line_input.h"

namespace ocr {

namespace {

/// The mean of the block that begins at (y,x), rounded to nearest.
void block_mean(const Picture& page, int y, int x, int factor, std::uint8_t* out) {
  const int end_y = std::min(y + factor, page.height);
  const int end_x = std::min(x + factor, page.width);
  const std::int64_t count = std::int64_t{end_y - y} * (end_x - x);
  std::array<std::int64_t, 3> sums = {};
  for (int row = y; row < end_y; ++row) {
    const std::uint8_t* pixel = page.bgr.data() + page.index(row, x);
    for (int i = 0; i < end_x - x; ++i, pixel += 3) {
      for (std::size_t c = 0; c < 3; ++c) sums[c] += pixel[c];
    }
  }
  for (std::size_t c = 0; c < 3; ++c) {
    out[c] = static_cast<std::uint8_t>((sums[c] + count / 2) / count);
  }
}

int scaled_length(int length, double scale) {
  return std::clamp(static_cast<int>(std::lround(length * scale)), 1, kDetectorSide);
}

}  // namespace

Picture shrink(const Picture& page, int factor) {
  if (factor == 1) return page;
  Picture small{(page.height - 1) / factor + 1, (page.width - 1) / factor + 1, {}};
  small.bgr.resize(small.index(small.height, 0));
  for (int y = 0; y < small.height; ++y) {
    for (int x = 0; x < small.width; ++x) {
      block_mean(page, y * factor, x * factor, factor, small.bgr.data() + small.index(y, x));
    }
  }
  return small;
}

DetectorInput detector_input(const Picture& page) {
  const int longest = std::max(page.height, page.width);
  const int factor = std::max(1, longest / kDetectorSide);
  const Picture small = shrink(page, factor);
  const double scale =
      std::min(1.0, static_cast<double>(kDetectorSide) / std::max(small.height, small.width));
  const int height = scaled_length(small.height, scale);
  const int width = scaled_length(small.width, scale);
  const Picture scaled = resize(small, height, width);

  constexpr std::array<float, 3> kMean = {0.485F, 0.456F, 0.406F};
  constexpr std::array<float, 3> kDeviation = {0.229F, 0.224F, 0.225F};
  constexpr std::size_t kPlane = std::size_t{kDetectorSide} * kDetectorSide;
  DetectorInput input;
  input.values.assign(3 * kPlane, 0.0F);
  input.scale_y = height / (static_cast<double>(small.height) * factor);
  input.scale_x = width / (static_cast<double>(small.width) * factor);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const std::size_t at =
          static_cast<std::size_t>(y) * kDetectorSide + static_cast<std::size_t>(x);
      for (std::size_t c = 0; c < 3; ++c) {
        const float v = static_cast<float>(scaled.bgr[scaled.index(y, x) + c]) / 255.0F;
        input.values[c * kPlane + at] = (v - kMean[c]) / kDeviation[c];
      }
    }
  }
  return input;
}

}  // namespace ocr

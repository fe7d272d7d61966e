#include "apps/ocr_common/line_input.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ocr {

namespace {

constexpr std::int64_t kOne = 2048;  // weights have 11 bits, as OpenCV's

/// Where one output row or column lies between two of the source.
struct Tap {
  int low = 0, high = 0;
  std::int64_t weight_high = 0;  ///< of kOne
};

std::vector<Tap> taps(int length_in, int length_out) {
  std::vector<Tap> all;
  const double scale = static_cast<double>(length_in) / length_out;
  for (int i = 0; i < length_out; ++i) {
    const double at = (i + 0.5) * scale - 0.5;
    const double low = std::floor(at);
    Tap tap;
    tap.weight_high = static_cast<std::int64_t>(std::floor((at - low) * kOne + 0.5));
    tap.low = std::clamp(static_cast<int>(low), 0, length_in - 1);
    tap.high = std::clamp(static_cast<int>(low) + 1, 0, length_in - 1);
    all.push_back(tap);
  }
  return all;
}

/// The source row `y` at the column `tap`, times kOne.
std::int64_t across(const Picture& picture, int y, const Tap& tap, std::size_t c) {
  return picture.bgr[picture.index(y, tap.low) + c] * (kOne - tap.weight_high) +
         picture.bgr[picture.index(y, tap.high) + c] * tap.weight_high;
}

}  // namespace

Picture resize(const Picture& picture, int height, int width) {
  const std::vector<Tap> rows = taps(picture.height, height);
  const std::vector<Tap> columns = taps(picture.width, width);
  Picture scaled{height, width, {}};
  scaled.bgr.reserve(static_cast<std::size_t>(height) * static_cast<std::size_t>(width) * 3);
  for (const Tap& row : rows) {
    for (const Tap& column : columns) {
      for (std::size_t c = 0; c < 3; ++c) {
        const std::int64_t total = across(picture, row.low, column, c) * (kOne - row.weight_high) +
                                   across(picture, row.high, column, c) * row.weight_high;
        scaled.bgr.push_back(static_cast<std::uint8_t>((total + kOne * kOne / 2) / (kOne * kOne)));
      }
    }
  }
  return scaled;
}

std::vector<float> line_input(const Picture& picture, int width) {
  const std::int64_t natural =
      (std::int64_t{kLineHeight} * picture.width + picture.height - 1) / picture.height;
  const int used = static_cast<int>(std::min<std::int64_t>(width, natural));
  const Picture scaled = resize(picture, kLineHeight, used);
  const std::size_t plane = static_cast<std::size_t>(kLineHeight) * static_cast<std::size_t>(width);
  std::vector<float> values(3 * plane, 0.0F);
  for (int y = 0; y < kLineHeight; ++y) {
    for (int x = 0; x < used; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        const float v = scaled.bgr[scaled.index(y, x) + c];
        values[c * plane + static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
               static_cast<std::size_t>(x)] = (v / 255.0F - 0.5F) / 0.5F;
      }
    }
  }
  return values;
}

}  // namespace ocr

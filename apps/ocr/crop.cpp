#include "apps/ocr/crop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "apps/ocr_common/line_input.h"

namespace ocr {

namespace {

using Colour = std::array<double, 3>;

constexpr int kMostSamples = 8;  // per axis: means up to text 384 pixels high

/// Adds the page at `point`, which may lie outside.
void add_sample(const Picture& page, Point point, Colour& sum) {
  const double x = std::clamp(point.x - 0.5, 0.0, page.width - 1.0);
  const double y = std::clamp(point.y - 0.5, 0.0, page.height - 1.0);
  const int left = static_cast<int>(x), top = static_cast<int>(y);
  const int right = std::min(left + 1, page.width - 1);
  const int bottom = std::min(top + 1, page.height - 1);
  const double weight_x = x - left, weight_y = y - top;
  for (std::size_t c = 0; c < 3; ++c) {
    const double upper = page.bgr[page.index(top, left) + c] * (1 - weight_x) +
                         page.bgr[page.index(top, right) + c] * weight_x;
    const double lower = page.bgr[page.index(bottom, left) + c] * (1 - weight_x) +
                         page.bgr[page.index(bottom, right) + c] * weight_x;
    sum[c] += upper * (1 - weight_y) + lower * weight_y;
  }
}

int samples(double length_in, int length_out) {
  return static_cast<int>(std::clamp(std::ceil(length_in / length_out), 1.0, double{kMostSamples}));
}

}  // namespace

int line_width(const Rectangle& rectangle, int most) {
  const double natural = std::ceil(kLineHeight * rectangle.width / rectangle.height);
  return static_cast<int>(std::clamp(natural, 1.0, static_cast<double>(most)));
}

Rectangle middle_of_line(const Rectangle& line, double aspect) {
  return {line.centre, line.right, std::min(line.width, aspect * line.height), line.height};
}

Picture crop_line(const Picture& page, const Rectangle& rectangle, int most) {
  Picture line{kLineHeight, line_width(rectangle, most), {}};
  line.bgr.reserve(line.index(line.height, 0));
  const int samples_x = samples(rectangle.width, line.width);
  const int samples_y = samples(rectangle.height, line.height);
  const Point origin = rectangle.corners()[0], right = rectangle.right, down = rectangle.down();
  const double step_u = rectangle.width / (line.width * samples_x);
  const double step_v = rectangle.height / (line.height * samples_y);
  for (int y = 0; y < line.height; ++y) {
    for (int x = 0; x < line.width; ++x) {
      Colour sum = {};
      for (int sample = 0; sample < samples_x * samples_y; ++sample) {
        const double u = (x * samples_x + sample % samples_x + 0.5) * step_u;
        const double v = (y * samples_y + sample / samples_x + 0.5) * step_v;
        add_sample(page, {origin.x + right.x * u + down.x * v, origin.y + right.y * u + down.y * v},
                   sum);
      }
      for (const double total : sum) {
        line.bgr.push_back(
            static_cast<std::uint8_t>(std::floor(total / (samples_x * samples_y) + 0.5)));
      }
    }
  }
  return line;
}

}  // namespace ocr

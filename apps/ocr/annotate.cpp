#include "apps/ocr/annotate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

namespace ocr {

namespace {

using Bgr = std::array<std::uint8_t, 3>;
constexpr Bgr kRed = {40, 30, 220}, kBlue = {220, 80, 20};

// Digits of 3 columns and 5 rows; a row is three bits, the leftmost the highest.
constexpr std::array<std::array<int, 5>, 10> kDigits = {{{7, 5, 5, 5, 7},
                                                         {2, 6, 2, 2, 7},
                                                         {7, 1, 7, 4, 7},
                                                         {7, 1, 7, 1, 7},
                                                         {5, 5, 7, 1, 1},
                                                         {7, 4, 7, 1, 7},
                                                         {7, 4, 7, 5, 7},
                                                         {7, 1, 1, 1, 1},
                                                         {7, 5, 7, 5, 7},
                                                         {7, 5, 7, 1, 7}}};

/// A square of `size` pixels from (x,y) on, as far as it lies on the page.
void dot(Picture& page, int x, int y, int size, Bgr colour) {
  for (int row = std::max(y, 0); row < std::min(y + size, page.height); ++row) {
    for (int column = std::max(x, 0); column < std::min(x + size, page.width); ++column) {
      std::copy(colour.begin(), colour.end(),
                page.bgr.begin() + static_cast<std::ptrdiff_t>(page.index(row, column)));
    }
  }
}

void stroke(Picture& page, Point from, Point to, int size, Bgr colour) {
  const int steps = static_cast<int>(std::ceil(std::hypot(to.x - from.x, to.y - from.y))) + 1;
  for (int i = 0; i <= steps; ++i) {
    const double x = from.x + (to.x - from.x) * i / steps, y = from.y + (to.y - from.y) * i / steps;
    dot(page, static_cast<int>(std::floor(x)) - size / 2,
        static_cast<int>(std::floor(y)) - size / 2, size, colour);
  }
}

void number(Picture& page, int value, int x, int y, int size) {
  for (const char digit : std::to_string(value)) {
    for (int row = 0; row < 5; ++row) {
      const int bits =
          kDigits[static_cast<std::size_t>(digit - '0')][static_cast<std::size_t>(row)];
      for (int column = 0; column < 3; ++column) {
        if ((bits >> (2 - column) & 1) != 0) {
          dot(page, x + column * size, y + row * size, size, kBlue);
        }
      }
    }
    x += 4 * size;
  }
}

}  // namespace

void annotate(Picture& page, const std::vector<Line>& lines) {
  const int size = std::max(2, std::max(page.width, page.height) / 800);
  int place = 0;
  for (const Line& line : lines) {
    const std::array<Point, 4> corners = line.rectangle.corners();
    for (std::size_t i = 0; i < 4; ++i) {
      stroke(page, corners[i], corners[(i + 1) % 4], size, i == 3 ? kBlue : kRed);
    }
    ++place;
    const int digits = static_cast<int>(std::to_string(place).size());
    const Point begin = {(corners[0].x + corners[3].x) / 2 - line.rectangle.right.x * size * 4,
                         (corners[0].y + corners[3].y) / 2 - line.rectangle.right.y * size * 4};
    const bool leftwards = line.rectangle.right.x >= 0;
    number(page, place, static_cast<int>(begin.x) - (leftwards ? 4 * size * digits : 0),
           static_cast<int>(begin.y) - 5 * size / 2, size);
  }
}

}  // namespace ocr

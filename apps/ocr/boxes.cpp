#include "apps/ocr/boxes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "apps/ocr/components.h"

namespace ocr {

namespace {

/// The corners of the first and last pixel of each row.
std::vector<Point> outline(const Component& component) {
  std::vector<Point> points;
  points.reserve(component.rows.size() * 4);
  double y = component.top;
  for (const Component::Row& row : component.rows) {
    for (const double edge : {y, y + 1}) {
      points.push_back({static_cast<double>(row.begin), edge});
      points.push_back({static_cast<double>(row.end), edge});
    }
    ++y;
  }
  return points;
}

/// Mean of the pixels whose centres lie in the rectangle; 0 without any.
double mean_inside(const float* map, int height, int width, const Rectangle& rectangle) {
  double left = width, right = 0, top = height, bottom = 0;
  for (const Point& corner : rectangle.corners()) {
    left = std::min(left, corner.x);
    right = std::max(right, corner.x);
    top = std::min(top, corner.y);
    bottom = std::max(bottom, corner.y);
  }
  const auto index = [](double at, int length) {
    return std::clamp(static_cast<int>(std::floor(at)), 0, length);
  };
  double sum = 0.0;
  int count = 0;
  for (int y = index(top, height); y < index(bottom + 1, height); ++y) {
    for (int x = index(left, width); x < index(right + 1, width); ++x) {
      if (!rectangle.contains({x + 0.5, y + 0.5})) continue;
      sum += map[static_cast<std::ptrdiff_t>(y) * width + x];
      ++count;
    }
  }
  return count == 0 ? 0.0 : sum / count;
}

}  // namespace

std::vector<Rectangle> text_boxes(const float* map, int height, int width,
                                  const BoxLimits& limits) {
  std::vector<Rectangle> boxes;
  for (const Component& area : components(map, height, width, limits.threshold, limits.most)) {
    const Rectangle core = least_rectangle(outline(area));
    if (std::min(core.width, core.height) < limits.least_side) continue;
    const bool likely = mean_inside(map, height, width, core) >= limits.least_score;
    if (!likely) continue;  // a NaN is not
    const double perimeter = 2 * (core.width + core.height);
    const Rectangle box = core.grown(core.width * core.height * limits.unclip / perimeter);
    boxes.push_back(box.height >= 1.5 * box.width ? box.quarter_turned() : box);
  }
  return boxes;
}

}  // namespace ocr

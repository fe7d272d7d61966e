#include "apps/ocr/rectangle.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ocr {

namespace {

double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
Point minus(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
double cross(Point origin, Point a, Point b) {
  return (a.x - origin.x) * (b.y - origin.y) - (a.y - origin.y) * (b.x - origin.x);
}

/// The rectangle around `hull` with its width along the unit vector `right`.
Rectangle around(const std::vector<Point>& hull, Point right) {
  Rectangle result;
  result.right = right;
  const Point down = result.down();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double low_u = kInfinity, high_u = -kInfinity, low_v = kInfinity, high_v = -kInfinity;
  for (const Point& point : hull) {
    low_u = std::min(low_u, dot(point, right));
    high_u = std::max(high_u, dot(point, right));
    low_v = std::min(low_v, dot(point, down));
    high_v = std::max(high_v, dot(point, down));
  }
  const double u = (low_u + high_u) / 2, v = (low_v + high_v) / 2;
  result.centre = {right.x * u + down.x * v, right.y * u + down.y * v};
  result.width = high_u - low_u;
  result.height = high_v - low_v;
  return result;
}

/// The direction among the four of the rectangle that points most to the right.
Rectangle upright(Rectangle rectangle) {
  for (int turn = 0; turn < 3; ++turn) {
    if (rectangle.right.x >= std::abs(rectangle.right.y)) break;
    rectangle = rectangle.quarter_turned();
  }
  return rectangle;
}

}  // namespace

std::array<Point, 4> Rectangle::corners() const {
  const Point across = {right.x * width / 2, right.y * width / 2};
  const Point along = {down().x * height / 2, down().y * height / 2};
  return {Point{centre.x - across.x - along.x, centre.y - across.y - along.y},
          Point{centre.x + across.x - along.x, centre.y + across.y - along.y},
          Point{centre.x + across.x + along.x, centre.y + across.y + along.y},
          Point{centre.x - across.x + along.x, centre.y - across.y + along.y}};
}

Rectangle Rectangle::grown(double distance) const {
  return {centre, right, width + 2 * distance, height + 2 * distance};
}

Rectangle Rectangle::quarter_turned() const { return {centre, down(), height, width}; }

Rectangle Rectangle::half_turned() const { return {centre, {-right.x, -right.y}, width, height}; }

bool Rectangle::contains(Point point) const {
  const Point from_centre = minus(point, centre);
  return std::abs(dot(from_centre, right)) <= width / 2 &&
         std::abs(dot(from_centre, down())) <= height / 2;
}

std::vector<Point> convex_hull(std::vector<Point> points) {
  const auto less = [](Point a, Point b) { return a.x < b.x || (a.x == b.x && a.y < b.y); };
  const auto same = [](Point a, Point b) { return a.x == b.x && a.y == b.y; };
  std::sort(points.begin(), points.end(), less);
  points.erase(std::unique(points.begin(), points.end(), same), points.end());
  if (points.size() < 3) return points;
  // Andrew's monotone chain: one half from left to right, the other on the way back.
  std::vector<Point> hull;
  for (int half = 0; half < 2; ++half) {
    const std::size_t start = hull.size();
    for (const Point& point : points) {
      while (hull.size() >= start + 2 && cross(hull[hull.size() - 2], hull.back(), point) <= 0) {
        hull.pop_back();
      }
      hull.push_back(point);
    }
    hull.pop_back();  // the next half begins with it
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

Rectangle least_rectangle(const std::vector<Point>& points) {
  const std::vector<Point> hull = convex_hull(points);
  Rectangle best = around(hull, {1.0, 0.0});
  if (hull.size() == 1) return best;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Point edge = minus(hull[(i + 1) % hull.size()], hull[i]);
    const double length = std::hypot(edge.x, edge.y);
    const Rectangle candidate = around(hull, {edge.x / length, edge.y / length});
    if (candidate.width * candidate.height < best.width * best.height) best = candidate;
  }
  return upright(best);
}

}  // namespace ocr

// Rotated rectangles, and the least one around a set of points.
//
// Coordinates are continuous, y downwards: pixel (x,y) covers [x,x+1) x [y,y+1).
#pragma once

#include <array>
#include <vector>

namespace ocr {

struct Point {
  double x = 0.0, y = 0.0;
};

struct Rectangle {
  Point centre;
  Point right = {1.0, 0.0};  ///< unit vector along the width, the way in which text runs
  double width = 0.0, height = 0.0;

  /// Unit vector along the height: `right` turned clockwise as seen on the page.
  Point down() const { return {-right.y, right.x}; }
  /// Where text begins (its top left), then clockwise.
  std::array<Point, 4> corners() const;
  /// All sides moved outwards by `distance`.
  Rectangle grown(double distance) const;
  /// The same area read a quarter turn clockwise: width along what was the height.
  Rectangle quarter_turned() const;
  /// The same area read from the other end.
  Rectangle half_turned() const;
  bool contains(Point point) const;
};

/// Corners of the convex hull, clockwise on the page, collinear ones dropped. O(n log n).
std::vector<Point> convex_hull(std::vector<Point> points);

/// The rectangle of least area around `points`, `right` within 45 degrees of the page's x axis.
/// One of its sides lies on an edge of the hull; each edge is tried, O(edges * hull). At least one
/// point is needed.
Rectangle least_rectangle(const std::vector<Point>& points);

}  // namespace ocr

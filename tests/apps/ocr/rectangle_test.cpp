#include "apps/ocr/rectangle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ocr {
namespace {

Rectangle turned(double degrees, double width, double height) {
  const double angle = degrees * std::numbers::pi / 180;
  return {{50, 40}, {std::cos(angle), std::sin(angle)}, width, height};
}

std::vector<Point> corners_of(const Rectangle& rectangle) {
  const auto corners = rectangle.corners();
  return {corners.begin(), corners.end()};
}

TEST(ConvexHull, DropsInnerCollinearAndRepeatedPoints) {
  const std::vector<Point> hull =
      convex_hull({{0, 0}, {2, 0}, {4, 0}, {4, 3}, {0, 3}, {2, 1}, {0, 0}, {4, 3}});
  EXPECT_EQ(hull.size(), 4U);
}

TEST(ConvexHull, OfFewPointsIsThemselves) {
  EXPECT_EQ(convex_hull({{1, 2}, {1, 2}}).size(), 1U);
  EXPECT_EQ(convex_hull({{1, 2}, {3, 4}, {2, 3}}).size(), 2U);
}

TEST(LeastRectangle, FindsARectangleFromItsCorners) {
  for (const double degrees : {0.0, 3.0, 30.0, 44.0, -5.0, -44.0}) {
    const Rectangle expected = turned(degrees, 60, 10);
    const Rectangle found = least_rectangle(corners_of(expected));
    EXPECT_NEAR(found.width, 60, 1e-9) << degrees;
    EXPECT_NEAR(found.height, 10, 1e-9);
    EXPECT_NEAR(found.centre.x, 50, 1e-9);
    EXPECT_NEAR(found.centre.y, 40, 1e-9);
    EXPECT_NEAR(found.right.x, expected.right.x, 1e-9);
    EXPECT_NEAR(found.right.y, expected.right.y, 1e-9);
  }
}

TEST(LeastRectangle, RunsWithin45DegreesOfTheXAxis) {
  const Rectangle found = least_rectangle(corners_of(turned(80, 60, 10)));
  EXPECT_NEAR(found.width, 10, 1e-9);
  EXPECT_NEAR(std::atan2(found.right.y, found.right.x) * 180 / std::numbers::pi, -10, 1e-9);
}

TEST(LeastRectangle, IsLeastAmongAllDirectionsOfATriangle) {
  const std::vector<Point> points = {{0, 0}, {10, 1}, {3, 7}};
  const Rectangle found = least_rectangle(points);
  for (int degrees = 0; degrees < 90; ++degrees) {
    const Rectangle axes = turned(degrees, 0, 0);
    double low_u = 1e9, high_u = -1e9, low_v = 1e9, high_v = -1e9;
    for (const Point& point : points) {
      const double u = point.x * axes.right.x + point.y * axes.right.y;
      const double v = point.x * axes.down().x + point.y * axes.down().y;
      low_u = std::min(low_u, u), high_u = std::max(high_u, u);
      low_v = std::min(low_v, v), high_v = std::max(high_v, v);
    }
    EXPECT_LE(found.width * found.height, (high_u - low_u) * (high_v - low_v) + 1e-9);
  }
}

TEST(LeastRectangle, OfOnePointHasNoArea) {
  const Rectangle found = least_rectangle({{3, 4}});
  EXPECT_EQ(found.width, 0.0);
  EXPECT_EQ(found.centre.y, 4.0);
}

TEST(Rectangle, TurnsMoveWhereTextBegins) {
  const Rectangle rectangle = turned(0, 60, 10);  // x 20..80, y 35..45
  EXPECT_EQ(rectangle.corners()[0].x, 20.0);
  EXPECT_EQ(rectangle.corners()[2].y, 45.0);
  // Read downwards: the text begins at the top right.
  EXPECT_EQ(rectangle.quarter_turned().corners()[0].x, 80.0);
  EXPECT_EQ(rectangle.quarter_turned().corners()[0].y, 35.0);
  EXPECT_EQ(rectangle.half_turned().corners()[0].x, 80.0);
  EXPECT_EQ(rectangle.half_turned().corners()[0].y, 45.0);
}

TEST(Rectangle, GrowsOnAllSides) {
  const Rectangle grown = turned(0, 60, 10).grown(2);
  EXPECT_TRUE(grown.contains({18.5, 33.5}));
  EXPECT_FALSE(grown.contains({17.5, 40}));
  EXPECT_FALSE(grown.contains({50, 47.5}));
}

}  // namespace
}  // namespace ocr

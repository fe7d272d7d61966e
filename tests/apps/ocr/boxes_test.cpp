#include "apps/ocr/boxes.h"

#include <gtest/gtest.h>

#include <limits>

namespace ocr {
namespace {

constexpr int kHeight = 100, kWidth = 120;

std::vector<float> map_with(int top, int bottom, int left, int right, float value) {
  std::vector<float> map(kHeight * kWidth, 0.0F);
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) map[static_cast<std::size_t>(y * kWidth + x)] = value;
  }
  return map;
}

std::vector<Rectangle> boxes_of(const std::vector<float>& map) {
  return text_boxes(map.data(), kHeight, kWidth);
}

TEST(TextBoxes, GrowByAreaTimesUnclipOverPerimeter) {
  const std::vector<Rectangle> boxes = boxes_of(map_with(20, 30, 40, 80, 0.9F));
  ASSERT_EQ(boxes.size(), 1U);
  const double distance = 10 * 40 * 1.6 / (2 * 50);
  EXPECT_NEAR(boxes[0].width, 40 + 2 * distance, 1e-9);
  EXPECT_NEAR(boxes[0].height, 10 + 2 * distance, 1e-9);
  EXPECT_NEAR(boxes[0].centre.x, 60, 1e-9);
  EXPECT_NEAR(boxes[0].centre.y, 25, 1e-9);
}

TEST(TextBoxes, LeaveOutTheUnlikelyAndTheThin) {
  EXPECT_TRUE(boxes_of(map_with(20, 30, 40, 80, 0.45F)).empty());
  EXPECT_TRUE(boxes_of(map_with(20, 22, 40, 80, 0.9F)).empty());
  EXPECT_TRUE(boxes_of(map_with(0, 0, 0, 0, 0.9F)).empty());
}

TEST(TextBoxes, TallOnesAreReadDownwards) {
  const std::vector<Rectangle> boxes = boxes_of(map_with(10, 90, 50, 60, 0.9F));
  ASSERT_EQ(boxes.size(), 1U);
  EXPECT_NEAR(boxes[0].right.y, 1.0, 1e-9);
  EXPECT_GT(boxes[0].width, boxes[0].height);
}

TEST(TextBoxes, ReachToTheEdgesOfTheMap) {
  EXPECT_EQ(boxes_of(map_with(0, kHeight, 0, kWidth, 1.0F)).size(), 1U);
}

TEST(TextBoxes, AMeanThatIsNoNumberIsNoBox) {
  std::vector<float> map = map_with(20, 30, 40, 80, 0.9F);
  map[25 * kWidth + 50] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(boxes_of(map).empty());
}

}  // namespace
}  // namespace ocr

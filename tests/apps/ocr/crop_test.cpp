#include "apps/ocr/crop.h"

#include <gtest/gtest.h>

#include "apps/ocr_common/line_input.h"

namespace ocr {
namespace {

/// Blue rises to the right, green downwards.
Picture ramps(int height, int width) {
  Picture picture{height, width, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      picture.bgr.insert(picture.bgr.end(),
                         {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y), 7});
    }
  }
  return picture;
}

constexpr Rectangle kLine = {{60, 50}, {1, 0}, 80, 48};  // x 20..100, y 26..74

TEST(CropLine, CutsAnUprightLineUnchanged) {
  const Picture line = crop_line(ramps(100, 200), kLine, 320);
  ASSERT_EQ(line.width, 80);
  ASSERT_EQ(line.height, kLineHeight);
  EXPECT_EQ(line.bgr[0], 20);
  EXPECT_EQ(line.bgr[1], 26);
  EXPECT_EQ(line.bgr[line.index(47, 79)], 99);
  EXPECT_EQ(line.bgr[line.index(47, 79) + 1], 73);
}

TEST(CropLine, HalfTurnedReadsFromTheOtherEnd) {
  const Picture line = crop_line(ramps(100, 200), kLine.half_turned(), 320);
  EXPECT_EQ(line.bgr[0], 99);
  EXPECT_EQ(line.bgr[1], 73);
}

TEST(CropLine, QuarterTurnedReadsDownwards) {
  const Picture line = crop_line(ramps(100, 200), Rectangle{{60, 50}, {0, 1}, 80, 48}, 320);
  ASSERT_EQ(line.width, 80);  // x 36..84, y 10..90; begins at the top right
  EXPECT_EQ(line.bgr[0], 83);
  EXPECT_EQ(line.bgr[1], 10);
  EXPECT_EQ(line.bgr[line.index(0, 79) + 1], 89);
  EXPECT_EQ(line.bgr[line.index(47, 0)], 36);
}

TEST(CropLine, HighLinesAreMeans) {
  Picture stripes = ramps(96, 8);
  for (int y = 0; y < 96; ++y) {
    for (int x = 0; x < 8; ++x) stripes.bgr[stripes.index(y, x)] = y % 2 == 0 ? 200 : 0;
  }
  const Picture line = crop_line(stripes, {{4, 48}, {1, 0}, 8, 96}, 320);
  for (int y = 0; y < kLineHeight; ++y) EXPECT_EQ(line.bgr[line.index(y, 2)], 100);
}

TEST(CropLine, RepeatsTheEdgesOutsideThePage) {
  const Picture line = crop_line(ramps(48, 10), {{0, 24}, {1, 0}, 40, 48}, 320);
  EXPECT_EQ(line.bgr[line.index(10, 0)], 0);
  EXPECT_EQ(line.bgr[line.index(10, 39)], 9);
}

TEST(MiddleOfLine, KeepsTheHeightAndShortLines) {
  const Rectangle middle = middle_of_line({{60, 50}, {0, 1}, 100, 10}, 4);
  EXPECT_EQ(middle.width, 40);
  EXPECT_EQ(middle.height, 10);
  EXPECT_EQ(middle.centre.x, 60);
  EXPECT_EQ(middle.right.y, 1);
  EXPECT_EQ(middle_of_line(kLine, 4).width, 80);
}

TEST(LineWidth, IsBounded) {
  EXPECT_EQ(line_width({{0, 0}, {1, 0}, 1e6, 1}, 1280), 1280);
  EXPECT_EQ(line_width({{0, 0}, {1, 0}, 1e-3, 100}, 1280), 1);
}

}  // namespace
}  // namespace ocr

#include "apps/ocr/page.h"

#include <gtest/gtest.h>

namespace ocr {
namespace {

Picture plain(int height, int width, std::uint8_t blue, std::uint8_t green, std::uint8_t red) {
  Picture picture{height, width, {}};
  for (int i = 0; i < height * width; ++i)
    picture.bgr.insert(picture.bgr.end(), {blue, green, red});
  return picture;
}

constexpr std::size_t kPlane = std::size_t{kDetectorSide} * kDetectorSide;

TEST(Shrink, TakesMeansOfBlocksAndOfWhatIsLeftAtTheEdges) {
  Picture picture = plain(1, 5, 0, 0, 0);
  for (int x = 0; x < 5; ++x) picture.bgr[picture.index(0, x)] = static_cast<std::uint8_t>(10 * x);
  const Picture small = shrink(picture, 2);
  ASSERT_EQ(small.width, 3);
  ASSERT_EQ(small.height, 1);
  EXPECT_EQ(small.bgr[0], 5);
  EXPECT_EQ(small.bgr[3], 25);
  EXPECT_EQ(small.bgr[6], 40);
}

TEST(DetectorInput, NormalisesEachChannelAndLeavesTheRestZero) {
  const DetectorInput input = detector_input(plain(10, 20, 255, 0, 51));
  ASSERT_EQ(input.values.size(), 3 * kPlane);
  EXPECT_FLOAT_EQ(input.values[0], (1.0F - 0.485F) / 0.229F);
  EXPECT_FLOAT_EQ(input.values[kPlane], (0.0F - 0.456F) / 0.224F);
  EXPECT_FLOAT_EQ(input.values[2 * kPlane], (0.2F - 0.406F) / 0.225F);
  EXPECT_EQ(input.values[20], 0.0F);
  EXPECT_EQ(input.values[10 * 640], 0.0F);
  EXPECT_EQ(input.scale_x, 1.0);  // never enlarged
}

TEST(DetectorInput, KeepsTheAspectOfLargePages) {
  const DetectorInput input = detector_input(plain(1600, 1200, 9, 9, 9));
  EXPECT_NEAR(input.scale_y, 0.4, 1e-12);
  EXPECT_NEAR(input.scale_x, 0.4, 1e-12);
  EXPECT_NE(input.values[639 * 640 + 479], 0.0F);
  EXPECT_EQ(input.values[639 * 640 + 480], 0.0F);
}

TEST(DetectorInput, TakesPagesOfOneRowOrColumn) {
  EXPECT_NE(detector_input(plain(1, 100000, 9, 9, 9)).values[639], 0.0F);
  EXPECT_NE(detector_input(plain(100000, 1, 9, 9, 9)).values[639 * 640], 0.0F);
}

}  // namespace
}  // namespace ocr

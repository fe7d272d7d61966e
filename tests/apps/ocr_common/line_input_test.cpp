#include "apps/ocr_common/line_input.h"

#include <gtest/gtest.h>

namespace ocr {
namespace {

Picture grey(int height, int width, const std::vector<int>& values) {
  Picture picture{height, width, {}};
  for (const int v : values) {
    for (int c = 0; c < 3; ++c) picture.bgr.push_back(static_cast<std::uint8_t>(v));
  }
  return picture;
}

TEST(Resize, KeepsAPictureOfTheWantedSize) {
  const Picture picture = grey(2, 3, {0, 50, 100, 150, 200, 250});
  EXPECT_EQ(resize(picture, 2, 3).bgr, picture.bgr);
}

TEST(Resize, UsesHalfPixelCentresAndRepeatsEdges) {
  // Centres of 4 columns in a source of 2: -0.25, 0.25, 0.75, 1.25.
  const Picture scaled = resize(grey(1, 2, {0, 100}), 1, 4);
  EXPECT_EQ(scaled.bgr[0], 0);
  EXPECT_EQ(scaled.bgr[3], 25);
  EXPECT_EQ(scaled.bgr[6], 75);
  EXPECT_EQ(scaled.bgr[9], 100);
}

TEST(LineInput, PadsShortLinesWithZeroAfterNormalisation) {
  const std::vector<float> values = line_input(grey(48, 10, std::vector<int>(480, 255)), 32);
  ASSERT_EQ(values.size(), 3U * 48 * 32);
  EXPECT_EQ(values[9], 1.0F);
  EXPECT_EQ(values[10], 0.0F);
}

TEST(LineInput, SqueezesLongLines) {
  const std::vector<float> values = line_input(grey(1, 40, std::vector<int>(40, 0)), 32);
  for (const float v : values) EXPECT_EQ(v, -1.0F);
}

TEST(LineInput, KeepsTheOrderBlueGreenRed) {
  Picture blue{48, 1, {}};
  for (int y = 0; y < 48; ++y) blue.bgr.insert(blue.bgr.end(), {255, 0, 0});
  const std::vector<float> values = line_input(blue, 1);
  EXPECT_EQ(values[0], 1.0F);
  EXPECT_EQ(values[48], -1.0F);
  EXPECT_EQ(values[96], -1.0F);
}

TEST(ReadPng, SaysWhyAFileCannotBeRead) {
  Picture picture;
  EXPECT_NE(read_png("no/such/file.png", picture), "");
  EXPECT_NE(read_png(FRIT_SOURCE_DIR "/README.md", picture), "");
  EXPECT_EQ(read_png(FRIT_SOURCE_DIR "/apps/pictures/digit.png", picture), "");
  EXPECT_EQ(picture.bgr.size(), static_cast<std::size_t>(picture.height * picture.width * 3));
}

}  // namespace
}  // namespace ocr

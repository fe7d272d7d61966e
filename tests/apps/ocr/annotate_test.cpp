#include "apps/ocr/annotate.h"

#include <gtest/gtest.h>

namespace ocr {
namespace {

Picture white(int height, int width) {
  return {height, width,
          std::vector<std::uint8_t>(static_cast<std::size_t>(height * width * 3), 255)};
}

TEST(Annotate, OutlinesInRedAndBeginsInBlue) {
  Picture page = white(40, 100);
  annotate(page, {{"a", 1.0, {{50, 20}, {1, 0}, 40, 20}}});
  const auto pixel = [&](int y, int x) {
    const std::uint8_t* bgr = page.bgr.data() + page.index(y, x);
    return std::vector<int>{bgr[0], bgr[1], bgr[2]};
  };
  EXPECT_EQ(pixel(10, 50), (std::vector<int>{40, 30, 220}));  // the upper side
  EXPECT_EQ(pixel(20, 30), (std::vector<int>{220, 80, 20}));  // the side where the text begins
  EXPECT_EQ(pixel(20, 50), (std::vector<int>{255, 255, 255}));
}

TEST(Annotate, KeepsToThePage) {
  Picture page = white(8, 8);
  annotate(page,
           {{"a", 1.0, {{4, 4}, {0.6, 0.8}, 500, 300}}, {"b", 1.0, {{-90, 4}, {1, 0}, 9, 9}}});
  EXPECT_EQ(page.bgr.size(), 8U * 8 * 3);
}

}  // namespace
}  // namespace ocr

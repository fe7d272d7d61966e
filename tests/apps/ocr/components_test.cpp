#include "apps/ocr/components.h"

#include <gtest/gtest.h>

#include <string>

namespace ocr {
namespace {

std::vector<Component> areas_of(const std::vector<std::string>& rows, std::size_t most = 1000) {
  std::vector<float> map;
  for (const std::string& row : rows) {
    for (const char c : row) map.push_back(c == '#' ? 0.9F : c == '+' ? 0.3F : 0.0F);
  }
  return components(map.data(), static_cast<int>(rows.size()), static_cast<int>(rows[0].size()),
                    0.3F, most);
}

TEST(Components, TouchByCornersToo) {
  const auto areas = areas_of({"#..#", ".#..", "#..#"});
  ASSERT_EQ(areas.size(), 3U);
  EXPECT_EQ(areas[0].top, 0);
  EXPECT_EQ(areas[0].rows.size(), 3U);
  EXPECT_EQ(areas[2].top, 2);
}

TEST(Components, KeepTheEndsOfEachRow) {
  const auto areas = areas_of({"..##..", ".#..#.", "######"});
  ASSERT_EQ(areas.size(), 1U);
  EXPECT_EQ(areas[0].rows[1].begin, 1);
  EXPECT_EQ(areas[0].rows[1].end, 5);
  EXPECT_EQ(areas[0].rows[2].begin, 0);
  EXPECT_EQ(areas[0].rows[2].end, 6);
}

TEST(Components, BranchesThatGoUpAgainBelongToTheSame) {
  EXPECT_EQ(areas_of({"#...#", "#.#.#", "#####"}).size(), 1U);
}

TEST(Components, AValueAtTheThresholdIsOutside) { EXPECT_TRUE(areas_of({"++", "++"}).empty()); }

TEST(Components, StopAtTheMostAsked) { EXPECT_EQ(areas_of({"#.#.#.#"}, 2).size(), 2U); }

}  // namespace
}  // namespace ocr

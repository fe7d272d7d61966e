#include "apps/ocr/order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ocr {
namespace {

using testing::ElementsAre;

Rectangle box(double left, double top, double right, double bottom) {
  return {{(left + right) / 2, (top + bottom) / 2}, {1, 0}, right - left, bottom - top};
}

TEST(ReadingOrder, RowsGoDownAndEachFromTheLeft) {
  EXPECT_THAT(reading_order({box(0, 50, 90, 70), box(60, 3, 100, 23), box(0, 0, 50, 20)}),
              ElementsAre(2, 1, 0));
  EXPECT_TRUE(reading_order({}).empty());
}

TEST(ReadingOrder, ColumnsComeOneAfterTheOtherBetweenHeadingAndFoot) {
  EXPECT_THAT(reading_order({box(0, 0, 200, 20),                             // 0 heading
                             box(0, 40, 90, 60), box(110, 45, 200, 65),      // 1, 2
                             box(0, 70, 95, 90), box(110, 75, 190, 95),      // 3, 4
                             box(0, 100, 60, 120), box(110, 105, 200, 125),  // 5, 6
                             box(0, 150, 200, 170)}),                        // 7 foot
              ElementsAre(0, 1, 3, 5, 2, 4, 6, 7));
}

TEST(ReadingOrder, ColumnsWhoseRowsDoNotMeet) {
  EXPECT_THAT(reading_order({box(0, 0, 90, 20), box(110, 15, 200, 35), box(0, 30, 90, 50),
                             box(110, 45, 200, 65), box(0, 60, 90, 80)}),
              ElementsAre(0, 2, 4, 1, 3));
}

TEST(ReadingOrder, ThreeColumns) {
  EXPECT_THAT(reading_order({box(0, 0, 90, 20), box(105, 0, 195, 20), box(220, 0, 310, 20),
                             box(0, 30, 90, 50), box(105, 30, 195, 50), box(220, 30, 310, 50)}),
              ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(ReadingOrder, PricesStayBesideTheirGoods) {
  EXPECT_THAT(reading_order({box(0, 0, 100, 20), box(250, 0, 290, 20), box(0, 30, 140, 50),
                             box(250, 30, 290, 50)}),
              ElementsAre(0, 1, 2, 3));
}

TEST(ReadingOrder, WidePricesFarFromTheirGoodsStayBesideThem) {
  EXPECT_THAT(reading_order({box(0, 0, 100, 20), box(270, 0, 360, 20), box(0, 30, 140, 50),
                             box(280, 30, 360, 50)}),
              ElementsAre(0, 1, 2, 3));
}

TEST(ReadingOrder, OneLineBesideAnotherIsARow) {
  EXPECT_THAT(reading_order({box(150, 0, 290, 20), box(0, 2, 120, 22)}), ElementsAre(1, 0));
}

TEST(ReadingOrder, FollowsAPageThatLiesOnItsSideOrHead) {
  // Lines that run down: the first is the rightmost.
  const Rectangle first = {{80, 50}, {0, 1}, 90, 20}, second = {{50, 50}, {0, 1}, 90, 20};
  EXPECT_THAT(reading_order({second, first}), ElementsAre(1, 0));
  EXPECT_THAT(reading_order({first.half_turned(), second.half_turned()}), ElementsAre(1, 0));
  EXPECT_THAT(reading_order({box(0, 0, 90, 20).half_turned(), box(0, 40, 90, 60).half_turned()}),
              ElementsAre(1, 0));
}

}  // namespace
}  // namespace ocr

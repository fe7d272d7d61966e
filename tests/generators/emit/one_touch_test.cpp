#include "generators/emit/one_touch.h"

#include <gtest/gtest.h>

namespace frit {
namespace {

using Halide::TailStrategy;
using Halide::Var;

// out(x, y) = x + y over 30 x 8, x innermost.
Stage output() {
  Stage out;
  out.role = "out";
  out.axes = {Var("y"), Var("x")};
  out.order = {1, 0};
  out.extents = {8, 30};
  out.func = Halide::Func("out");
  out() = Halide::cast<float>(out.axes[0] + out.axes[1]);
  return out;
}

TEST(WritesEachElementOnce, PlainLoopsDo) { EXPECT_TRUE(writes_each_element_once(output())); }

TEST(WritesEachElementOnce, SplitsThatDivideDo) {
  Stage out = output();
  Var x("x"), xo("xo"), xi("xi"), xv("xv");
  out.func.split(x, xo, xi, 10, TailStrategy::ShiftInwards).split(xi, xi, xv, 5).vectorize(xv);
  EXPECT_TRUE(writes_each_element_once(out));
}

TEST(WritesEachElementOnce, AShiftedTailDoesNot) {
  Stage out = output();
  Var x("x"), xo("xo"), xi("xi");
  out.func.split(x, xo, xi, 16, TailStrategy::ShiftInwards);
  EXPECT_FALSE(writes_each_element_once(out));
}

TEST(WritesEachElementOnce, AnAutomaticTailCountsAsShifted) {
  Stage out = output();
  Var x("x"), xo("xo"), xi("xi");
  out.func.split(x, xo, xi, 16);
  EXPECT_FALSE(writes_each_element_once(out));
}

TEST(WritesEachElementOnce, AGuardedTailDoes) {
  Stage out = output();
  Var x("x"), xo("xo"), xi("xi");
  out.func.split(x, xo, xi, 16, TailStrategy::GuardWithIf);
  EXPECT_TRUE(writes_each_element_once(out));
}

TEST(WritesEachElementOnce, FusedLoopsAreFollowed) {
  Stage out = output();
  Var x("x"), y("y"), xy("xy"), o("o"), i("i");
  out.func.fuse(x, y, xy).split(xy, o, i, 16);  // 240 = 15 * 16
  EXPECT_TRUE(writes_each_element_once(out));
  out = output();
  out.func.fuse(x, y, xy).split(xy, o, i, 32);
  EXPECT_FALSE(writes_each_element_once(out));
}

TEST(WritesEachElementOnce, AnUpdateDoesNot) {
  Stage out = output();
  out() += 1.0F;
  EXPECT_FALSE(writes_each_element_once(out));
}

}  // namespace
}  // namespace frit

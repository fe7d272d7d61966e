// Every directive: scheduled == unscheduled over odd sizes.
#include "tests/schedules/small_pipelines.h"

namespace frit::testing {
namespace {

// Each text on both sides of every size that matters to a tile of 4 or 8.
void everywhere(const std::string& body, const std::function<Composer(int, int)>& make,
                float tolerance = 0) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {7, 9}, {8, 8}, {9, 31}, {31, 7}}) {
    SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(columns));
    expect_same(make(rows, columns), body, tolerance);
  }
}

Composer product_of(int rows, int columns) { return product(rows, columns, 13); }
Composer blur_of(int rows, int columns) { return blur(rows, columns); }

TEST(Directives, SplitVectorizeUnrollReorder) {
  everywhere(
      "out.split(x, xo, xi, 8, GuardWithIf).split(y, yo, yi, 4, GuardWithIf)\n"
      "out.reorder(xi, yi, xo, yo).vectorize(xi).unroll(yi)\n"
      "acc.compute_at(out, xo)\n",
      product_of);
}

TEST(Directives, UpdatesKeepTheirOwnLoops) {
  everywhere(
      "acc.compute_root()\n"
      "acc.split(x, xo, xi, 4, GuardWithIf).vectorize(xi)\n"
      "acc.update(0).split(r, ro, ri, 4).split(x, xo, xi, 2, GuardWithIf)\n"
      "acc.update(0).reorder(xi, ri, y, xo, ro).unroll(xi).unroll(ri)\n",
      product_of);
}

TEST(Directives, AStageMayBeComputedAtItsConsumersLoop) {
  everywhere("epi_0.compute_at(out, y)\npre_0.compute_at(epi_0, y).vectorize(x, 4)\n", blur_of);
}

TEST(Directives, WhatTheTextLeavesOutIsPlaced) { everywhere("", product_of, 1e-5F); }

}  // namespace
}  // namespace frit::testing

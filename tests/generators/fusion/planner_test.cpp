#include "generators/fusion/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generators/fusion/check_plan.h"
#include "generators/fusion/plan_text.h"
#include "tests/generators/fusion/plan_testing.h"

namespace frit {
namespace {

TEST(Planner, KeepsConvBiasActivationAndResidualInOneKernel) {
  GraphBuilder b;
  const ValueId x = b.input("x", {1, 16, 8, 8});
  const ValueId a = b.add("Relu", "a", {b.conv("first", x, 16)});
  const ValueId sum = b.add("Add", "sum", {b.conv("second", a, 16), a});
  b.output(b.add("Reshape", "flat",
                 {b.add("Relu", "last", {sum}), b.constant("shape", Tensor::i64({2}, {1, 1024}))}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"),
            (std::vector<std::string>{"x/layout", "first a", "second sum last", "flat"}))
      << to_text(p.plan, p.graph);
}

TEST(Planner, TakesSwishWholeAlthoughItsInputIsReadTwice) {
  GraphBuilder b;
  const ValueId x = b.input("x", {1, 16, 8, 8});
  const ValueId c = b.conv("c", x, 16, 1);
  const ValueId s = b.add("Sigmoid", "s", {c});
  const ValueId m = b.add("Mul", "m", {c, s});
  b.output(b.add("GlobalAveragePool", "g", {m}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (std::vector<std::string>{"x/layout", "c s m", "g"}))
      << to_text(p.plan, p.graph);
}

}  // namespace
}  // namespace frit

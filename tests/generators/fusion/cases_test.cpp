// Kinds of faults from CASES.md that a plan can already show; values are judged elsewhere.
#include <gtest/gtest.h>

#include "generators/fusion/check_plan.h"
#include "generators/fusion/plan_text.h"
#include "tests/generators/fusion/plan_testing.h"

namespace frit {
namespace {

using Names = std::vector<std::string>;

/// conv -> relu, read by `readers` reductions.
GraphBuilder read_by(int readers) {
  GraphBuilder b;
  const ValueId r = b.add("Relu", "r", {b.conv("c", b.input("x", {1, 4, 6, 6}), 8)});
  for (int i = 0; i < readers; ++i) {
    b.output(b.add("GlobalAveragePool", "g" + std::to_string(i), {r}));
  }
  if (readers == 0) b.output(b.add("Exp", "other", {b.graph().inputs[0]}));
  return b;
}

TEST(FusionCases, ConsumerCountsFromNoneToThree) {  // K11, K21
  EXPECT_EQ(plan_of(read_by(0)).groups("kernel"), (Names{"x/layout", "c r", "other"}));
  EXPECT_EQ(plan_of(read_by(1)).groups("kernel"), (Names{"x/layout", "c r", "g0"}));
  EXPECT_EQ(plan_of(read_by(2)).groups("kernel"), (Names{"x/layout", "c r", "g0", "g1"}));
  EXPECT_EQ(plan_of(read_by(3)).groups("kernel"), (Names{"x/layout", "c r", "g0", "g1", "g2"}));
}

TEST(FusionCases, EveryIntermediateAsOutputInTurnIsStored) {  // K10: reports 47 and 65
  for (const char* name : {"c", "r", "s", "m"}) {
    GraphBuilder b;
    const ValueId c = b.add("MatMul", "c", {b.input("x", {4, 8}), b.constant("w", {8, 8})});
    const ValueId r = b.add("Relu", "r", {c});
    const ValueId m = b.add("Mul", "m", {r, b.add("Sigmoid", "s", {r})});
    b.output(b.add("Exp", "e", {m}));
    b.output(b.outputs_of(name)[0]);
    const Planned p = plan_of(b);
    const ValueId value = p.graph.value_named(name).value();
    EXPECT_EQ(p.plan.storage.count(value), 1U) << name;
    EXPECT_EQ(p.plan.alias_of.count(value), 0U) << name;
  }
}

TEST(FusionCases, HeavyOperatorOfTwoReadersRunsOnce) {  // report 49
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {64, 64}), b.constant("w", {64, 64})});
  b.output(b.add("Exp", "e", {m}));
  b.output(b.add("Relu", "r", {m}));
  EXPECT_EQ(plan_of(b).groups("kernel"), (Names{"m", "e", "r"}));
}

TEST(FusionCases, DiamondOfPointwiseNodesIsOneKernel) {  // report 50
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {8, 8}), b.constant("w", {8, 8})});
  const ValueId l = b.add("Exp", "l", {m}), r = b.add("Abs", "r", {m});
  b.output(b.add("Add", "sum", {l, r}));
  EXPECT_EQ(plan_of(b).groups("kernel"), (Names{"m l r sum"}));
}

TEST(FusionCases, ResidualOfTwoConvolutionsEndsTheFirstThatIsLegal) {
  GraphBuilder b;
  const ValueId x = b.input("x", {1, 8, 6, 6});
  const ValueId l = b.conv("l", x, 8), r = b.conv("r", x, 8);
  b.output(b.add("GlobalAveragePool", "g", {b.add("Relu", "a", {b.add("Add", "sum", {l, r})})}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (Names{"x/layout", "r", "l sum a", "g"}));
  EXPECT_EQ(p.edge("r", "sum").code, "two-reductions");
}

TEST(FusionCases, PerChannelScaleFromElsewhereJoinsTheEpilogue) {
  GraphBuilder b;
  const ValueId x = b.input("x", {1, 8, 6, 6});
  const ValueId gate = b.add("HardSigmoid", "gate", {b.add("GlobalAveragePool", "g", {x})});
  const ValueId scaled = b.add("Mul", "scaled", {b.conv("c", x, 8), gate});
  b.output(b.add("GlobalAveragePool", "end", {scaled}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (Names{"g gate", "x/layout", "c scaled", "end"}));
  EXPECT_EQ(p.edge("gate", "scaled").code, "broadcast");
}

TEST(FusionCases, ExtentOneIsNoBroadcast) {  // K30
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {1, 8}), b.constant("w", {8, 8})});
  b.output(b.add("Add", "sum", {m, b.input("y", {1, 8})}));
  EXPECT_EQ(plan_of(b).groups("kernel"), (Names{"m sum"}));
}

TEST(FusionCases, BiasThatEnlargesTheProductStaysOutside) {  // reports 5, 34, 38
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {1, 8}), b.constant("w", {8, 8})});
  b.output(b.add("Add", "sum", {m, b.input("y", {4, 8})}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (Names{"m", "sum"}));
  EXPECT_EQ(p.edge("m", "sum").code, "broadcast");
}

TEST(FusionCases, BiasOfHigherRankIsAnotherShape) {  // report 38
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {4, 8}), b.constant("w", {8, 8})});
  b.output(b.add("Add", "sum", {m, b.input("y", {1, 1, 8})}));
  const EdgeVerdict edge = plan_of(b).edge("m", "sum");
  EXPECT_EQ(edge.code, "shape");
  EXPECT_EQ(edge.sentence,
            "the loops run over 'm' f32[4,8], but 'sum' (Add) makes 'sum' f32[1,4,8]");
}

TEST(FusionCases, SoftmaxAndItsPrologueAreOneKernel) {
  GraphBuilder b;
  const ValueId scaled = b.add("Mul", "scaled", {b.input("x", {40, 64}), b.constant("k", {1})});
  const ValueId soft = b.add("Softmax", "soft", {scaled}, {{"axis", std::int64_t{1}}});
  b.output(b.add("Neg", "n", {soft}));
  EXPECT_EQ(plan_of(b).groups("kernel"), (Names{"scaled soft n"}));
}

TEST(FusionCases, ProductAndSoftmaxAreTwoReductions) {
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {40, 120}), b.constant("w", {120, 64})});
  const ValueId bias = b.add("Add", "bias", {m, b.constant("b", {64})});
  b.output(b.add("Softmax", "soft", {bias}, {{"axis", std::int64_t{1}}}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (Names{"m bias", "soft"}));
  EXPECT_EQ(p.edge("bias", "soft").code, "two-reductions");
}

TEST(FusionCases, QueryKeyValueOfOneRowAreViews) {  // report 67
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {1, 8}), b.constant("w", {8, 24})});
  b.add("Split", "s", {m}, {{"axis", std::int64_t{1}}, {"num_outputs", std::int64_t{3}}}, 3);
  const std::vector<ValueId> qkv = b.outputs_of("s");
  const ValueId sum = b.add("Add", "qk", {qkv[0], qkv[1]});
  b.output(b.add("Mul", "qkv", {sum, qkv[2]}));
  const Planned p = plan_of(b);
  EXPECT_EQ(p.groups("kernel"), (Names{"m", "qk qkv"}));
  EXPECT_EQ(p.storage("s_2").offset, 16);
}

TEST(FusionCases, NamesMayClashBeEmptyLongOrForeign) {  // K31, report 52
  GraphBuilder b;
  const ValueId x = b.input("x", {1, 4, 6, 6});
  b.constant("x/layout", {1});
  ValueId v = b.conv("fused", x, 8);
  v = b.add("Relu", "", {v});
  v = b.add("Exp", "é\n\"\\字", {v});
  v = b.add("Abs", std::string(5000, 'n'), {v});
  v = b.add("Neg", "", {v});
  b.output(b.add("GlobalAveragePool", "kernel", {v}));
  const Planned p = plan_of(b);
  const std::string text = to_text(p.plan, p.graph);
  const auto again = parse_plan(text, "p.plan", p.graph, {});
  ASSERT_TRUE(again) << to_text(again.error()[0]);
  EXPECT_EQ(to_text(*again, p.graph), text);
  EXPECT_NE(text.find("\"x/layout2\""), std::string::npos) << text;
}

TEST(FusionCases, ZeroExtentsPlanToo) {  // K29
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {0, 8}), b.constant("w", {8, 6})});
  b.output(b.add("Exp", "e",
                 {b.add("Transpose", "t", {m}, {{"perm", std::vector<std::int64_t>{1, 0}}})}));
  EXPECT_TRUE(check_plan(plan_of(b).graph, plan_of(b).plan));
}

}  // namespace
}  // namespace frit

// One small graph for each refusal, and its exact sentence.
#include "generators/fusion/legality.h"

#include <gtest/gtest.h>

#include "tests/generators/fusion/plan_testing.h"

namespace frit {
namespace {

void expect_refused(const EdgeVerdict& edge, const std::string& code, const std::string& sentence) {
  EXPECT_FALSE(edge.fused);
  EXPECT_EQ(edge.code, code);
  EXPECT_EQ(edge.sentence, sentence);
}

GraphBuilder two_steps() {
  GraphBuilder b;
  const ValueId x = b.input("x", {4, 8});
  b.output(b.add("Exp", "second", {b.add("Relu", "first", {x})}));
  return b;
}

TEST(Legality, GraphOutputMustBeStored) {
  GraphBuilder b;
  const ValueId a = b.add("Relu", "a", {b.input("x", {4, 8})});
  b.output(a);
  b.output(b.add("Exp", "e", {a}));
  expect_refused(
      plan_of(b).edge("a", "e"), "graph-output",
      "'a' is a graph output and must be stored, but 'e' (Exp) would keep it in a kernel");
}

TEST(Legality, MultiUseNamesTheOtherReader) {
  GraphBuilder b;
  const ValueId a = b.add("Relu", "a", {b.input("x", {4, 8})});
  b.output(b.add("Exp", "e", {a}));
  b.output(b.add("Neg", "n", {a}));
  expect_refused(plan_of(b).edge("a", "e"), "multi-use",
                 "'a' goes to 'e' (Exp), but 'n' (Neg) in another kernel reads it too");
}

TEST(Legality, WouldCycleNamesTheNodeBetween) {
  GraphBuilder b;  // K13: a -> product -> sum, a -> sum
  const ValueId a = b.add("MatMul", "a", {b.input("x", {8, 8}), b.constant("v", {8, 8})});
  const ValueId m = b.add("MatMul", "product", {a, b.constant("w", {8, 8})});
  b.output(b.add("Add", "sum", {a, m}));
  const Planned p = plan_of(b);
  expect_refused(p.edge("a", "sum"), "would-cycle",
                 "'sum' (Add) needs the result of 'product' (MatMul), but 'product' (MatMul) needs "
                 "'a' first: one kernel would run both before and after it");
  EXPECT_EQ(p.groups("kernel"), (std::vector<std::string>{"a", "product sum"}));
}

TEST(Legality, BroadcastValueIsNotRepeatedInItsMakersLoops) {
  GraphBuilder b;
  const ValueId x = b.input("x", {4, 8});
  const ValueId row = b.add("MatMul", "row", {b.input("v", {1, 4}), b.constant("w", {4, 8})});
  b.output(b.add("Mul", "scaled", {x, row}));
  expect_refused(plan_of(b).edge("row", "scaled"), "broadcast",
                 "'row' f32[1,8] has 8 elements, but 'scaled' (Mul) repeats them to the 32 of "
                 "'scaled' f32[4,8]");
}

TEST(Legality, ForbiddenPairStaysApart) {
  PlanOptions options;
  options.forbid = {{"first", "second"}};
  const Planned p = plan_of(two_steps(), options);
  expect_refused(p.edge("first", "second"), "user-forbid",
                 "'first' (Relu) and 'second' (Exp) would share a kernel, but --no-fuse "
                 "first,second forbids it");
  EXPECT_EQ(p.plan.groups.size(), 2U);
}

TEST(Legality, ForbiddenPairStaysApartAcrossNodesBetween) {
  GraphBuilder b;
  ValueId v = b.input("x", {4, 8});
  for (const char* name : {"a", "b", "c"}) v = b.add("Relu", name, {v});
  b.output(v);
  PlanOptions options;
  options.forbid = {{"c", "a"}};
  EXPECT_EQ(plan_of(b, options).groups("kernel"), (std::vector<std::string>{"a b", "c"}));
}

TEST(Legality, FencedNodeStaysAlone) {
  PlanOptions options;
  options.fences = {"second"};
  expect_refused(plan_of(two_steps(), options).edge("first", "second"), "user-forbid",
                 "'first' (Relu) feeds 'second' (Exp), but --fence second keeps that node alone");
}

TEST(Legality, NodesOfTwoDevicesStayApart) {
  PlanOptions options;
  options.devices = {{"second", "cuda:0"}};
  expect_refused(plan_of(two_steps(), options).edge("first", "second"), "device",
                 "'first' (Relu) runs on cpu, but 'second' (Exp) runs on cuda:0");
}

TEST(Legality, LevelNoneSaysSo) {
  PlanOptions options;
  options.level = FusionLevel::kNone;
  expect_refused(plan_of(two_steps(), options).edge("first", "second"), "user-forbid",
                 "'second' (Exp) could go on in the kernel of 'first' (Relu), but --fusion none "
                 "keeps them apart");
}

TEST(Legality, LevelElementwiseLeavesAnchorsAlone) {
  GraphBuilder b;
  const ValueId x = b.input("x", {4, 8});
  const ValueId m = b.add("MatMul", "m", {x, b.constant("w", {8, 8})});
  b.output(b.add("Exp", "e", {b.add("Relu", "r", {m})}));
  PlanOptions options;
  options.level = FusionLevel::kElementwise;
  EXPECT_EQ(plan_of(b, options).groups("kernel"), (std::vector<std::string>{"m", "r e"}));
}

TEST(Legality, WiderElementsDoNotEnterTheAnchorsLoops) {
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {4, 8}), b.constant("w", {8, 8})});
  b.output(b.add("Cast", "wide", {m}, {{"to", std::int64_t{7}}}));
  expect_refused(plan_of(b).edge("m", "wide"), "dtype",
                 "'m' (MatMul) computes f32 (4 bytes an element), but 'wide' (Cast) makes i64 (8 "
                 "bytes)");
}

TEST(Legality, TwoReductionsAreACostRefusal) {
  GraphBuilder b;
  const ValueId m = b.add("MatMul", "m", {b.input("x", {4, 8}), b.constant("w", {8, 8})});
  b.output(b.add("MatMul", "n", {m, b.constant("w2", {8, 8})}));
  expect_refused(
      plan_of(b).edge("m", "n"), "two-reductions",
      "'m' comes out of the reduction 'm' (MatMul), but 'n' (MatMul) reduces again: each "
      "of its results would repeat part of the first");
}

TEST(Legality, ReshapeAcrossStridesSaysHowTheValueLies) {
  GraphBuilder b;
  const ValueId c = b.conv("c", b.input("x", {1, 4, 6, 6}), 8);
  b.output(b.add("Exp", "e",
                 {b.add("Reshape", "flat", {c, b.constant("s", Tensor::i64({2}, {1, 288}))})}));
  expect_refused(plan_of(b).edge("c", "flat"), "layout",
                 "'c' lies as 0:1 2:6 3:6 1:8, but 'flat' (Reshape) needs axes next to each other "
                 "that are not");
}

TEST(Legality, RecomputeIsPricedInMicroseconds) {
  GraphBuilder b;
  const ValueId x = b.input("x", {256, 256});
  const ValueId e = b.add("Exp", "e", {x});
  b.output(b.add("MatMul", "m", {e, b.constant("w", {256, 1024})}));
  const EdgeVerdict edge = plan_of(b).edge("e", "m");
  expect_refused(edge, "recompute", edge.sentence);
  EXPECT_TRUE(edge.sentence.rfind("computing 'e' where 'm' (MatMul) reads it costs ", 0) == 0)
      << edge.sentence;
  ASSERT_FALSE(edge.terms.empty());
}

TEST(Legality, BorderIsReadFromStoredValuesOnly) {
  GraphBuilder b;
  const ValueId r = b.add("Relu", "r", {b.input("x", {1, 8, 6, 6})});
  b.output(b.add("GlobalAveragePool", "g", {b.conv("c", r, 8, 3, 1, 8)}));
  expect_refused(
      plan_of(b).edge("r", "c"), "inner-loop",
      "'c' (Conv) reads 'r' beyond its border in its inner loop, but only a stored value "
      "has its border filled");
}

TEST(Legality, KernelsOfTooManyNodesAreSplit) {
  GraphBuilder b;
  ValueId v = b.input("x", {4, 8});
  for (int i = 0; i < 6; ++i) v = b.add("Exp", "n" + std::to_string(i), {v});
  b.output(v);
  PlanOptions options;
  options.machine.most_nodes = 4;
  const Planned p = plan_of(b, options);
  EXPECT_EQ(p.groups("kernel"), (std::vector<std::string>{"n0 n1 n2 n3", "n4 n5"}));
  expect_refused(
      p.edge("n3", "n4"), "too-large",
      "with 'n3' (Exp) the kernel would have 6 nodes, but 4 are the most that compile in "
      "good time");
}

TEST(Legality, PairThatAPassMadeOneNodeCannotBeParted) {
  GraphBuilder b = two_steps();
  b.graph().nodes()[0].origins = {"conv", "bn"};
  PlanOptions options;
  options.forbid = {{"conv", "bn"}};
  const auto plan = make_plan(b.graph(), options);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, "plan-cannot-part");
  EXPECT_EQ(plan.error().message,
            "--no-fuse conv,bn: a pass has made both into the one node 'first' (Relu); turn that "
            "pass off ('frit show passes' names it)");
}

TEST(Legality, ForcedPairOverridesTheCostModel) {
  GraphBuilder b;
  const ValueId x = b.input("x", {256, 256});
  const ValueId e = b.add("Exp", "e", {x});
  b.output(b.add("MatMul", "m", {e, b.constant("w", {256, 1024})}));
  PlanOptions options;
  options.fuse = {{"e", "m"}};
  EXPECT_EQ(plan_of(b, options).groups("kernel"), (std::vector<std::string>{"e m"}));
}

TEST(Legality, ForcedPairThatIsIllegalIsAnError) {
  GraphBuilder b = two_steps();
  b.output(b.outputs_of("first")[0]);
  PlanOptions options;
  options.fuse = {{"first", "second"}};
  const auto plan = make_plan(b.graph(), options);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, "plan-cannot-fuse");
  EXPECT_EQ(plan.error().message,
            "--fuse first,second: 'first' is a graph output and must be stored, but 'second' (Exp) "
            "would keep it in a kernel (graph-output); leave it out, frit explain shows each edge");
}

TEST(Legality, UnknownNameInTheOptionsIsAnError) {
  PlanOptions options;
  options.forbid = {{"first", "third"}};
  const auto plan = make_plan(two_steps().graph(), options);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message, "'third' names no node of ''; 'frit show graph' lists them");
}

}  // namespace
}  // namespace frit

#include "generators/fusion/plan_text.h"

#include <gtest/gtest.h>

#include "generators/fusion/explain.h"
#include "tests/generators/fusion/plan_testing.h"

namespace frit {
namespace {

Planned residual() {
  GraphBuilder b;
  const ValueId x = b.input("x", {1, 16, 8, 8});
  const ValueId a = b.add("Relu", "a", {b.conv("first", x, 16)});
  const ValueId sum = b.add("Add", "sum", {b.conv("second", a, 16), a});
  b.output(b.add("GlobalAveragePool", "mean", {sum}));
  return plan_of(b);
}

TEST(PlanText, IsGolden) {
  const Planned p = residual();
  EXPECT_EQ(to_text(p.plan, p.graph),
            R"(plan 1
in "x" f32[1,16,8,8] stored 0:1 1:16 2:8 3:8
group 0 kernel transpose
  node "x/layout" Identity
  out "x/layout" f32[1,16,8,8] stored 0:1 2:8(+1+1) 3:8(+1+1) 1:16
group 1 kernel conv2d
  node "first" Conv anchor
  node "a" Relu
  out "a" f32[1,16,8,8] stored 0:1 2:8(+1+1) 3:8(+1+1) 1:16
group 2 kernel conv2d
  node "second" Conv anchor
  node "sum" Add
  out "sum" f32[1,16,8,8] stored 0:1 2:8 3:8 1:16
group 3 kernel reduce
  node "mean" GlobalAveragePool anchor
  out "mean" f32[1,16,1,1] stored 0:1 1:16 2:1 3:1
)");
}

TEST(PlanText, ReadsBackToTheSamePlan) {
  const Planned p = residual();
  const std::string text = to_text(p.plan, p.graph);
  const auto again = parse_plan(text, "p.plan", p.graph, {});
  ASSERT_TRUE(again) << to_text(again.error()[0]);
  EXPECT_EQ(to_text(*again, p.graph), text);
  EXPECT_EQ(again->storage, p.plan.storage);
  EXPECT_EQ(again->alias_of, p.plan.alias_of);
  ASSERT_EQ(again->edges.size(), p.plan.edges.size());
  for (std::size_t i = 0; i < p.plan.edges.size(); ++i) {
    EXPECT_EQ(again->edges[i].code, p.plan.edges[i].code);
  }
  EXPECT_TRUE(compare_plan(text, "p.plan", p.graph, p.plan).empty());
}

TEST(PlanText, PinsTheWholePlan) {
  const Planned p = residual();
  PlanOptions none;
  none.level = FusionLevel::kNone;
  const std::string pinned = to_text(*make_plan(p.graph, none), p.graph);
  const auto plan = parse_plan(pinned, "p.plan", p.graph, {});
  ASSERT_TRUE(plan) << to_text(plan.error()[0]);
  EXPECT_EQ(to_text(*plan, p.graph), pinned);
  EXPECT_EQ(plan->groups.size(), 6U);
  EXPECT_EQ(
      plan->edges[1].sentence,
      "'a' (Relu) could read 'first' in the kernel of 'first' (Conv), but the plan file keeps "
      "them apart");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string first_fault(const Planned& p, const std::string& text) {
  const auto plan = parse_plan(text, "p.plan", p.graph, {});
  EXPECT_FALSE(plan);
  return plan ? "" : to_text(plan.error()[0]);
}

TEST(PlanText, RefusesTwoReductionsInOneKernel) {
  const Planned p = residual();
  const std::string text = replaced(
      to_text(p.plan, p.graph),
      "  out \"a\" f32[1,16,8,8] stored 0:1 2:8(+1+1) 3:8(+1+1) 1:16\ngroup 2 kernel conv2d\n", "");
  EXPECT_EQ(first_fault(p, replaced(text, "\"second\" Conv anchor", "\"second\" Conv")),
            "p.plan:6:7: error: 'second' (Conv) reduces but 'first' (Conv) already anchors the "
            "group [two-reductions]\n    6 | group 1 kernel conv2d\n      |       ^");
}

TEST(PlanText, RefusesAWrongStorage) {
  const Planned p = residual();
  const std::string text = to_text(p.plan, p.graph);
  EXPECT_EQ(first_fault(p, replaced(text, "stored 0:1 1:16 2:8 3:8", "stored 0:1 2:8 3:8 1:16")),
            "error: 'x' is the caller's but does not lie dense in a buffer of its own; this plan "
            "does not fit the graph [plan-broken]");
  EXPECT_EQ(
      first_fault(p, replaced(text, "2:8(+1+1) 3:8(+1+1) 1:16", "2:8(+1+1) 3:9 1:16")),
      "p.plan:5:7: error: 'x/layout' is f32[1,16,8,8] but its storage lists other axes; write "
      "each axis once as axis:extent [plan-text]\n    5 |   out \"x/layout\" f32[1,16,8,8] "
      "stored 0:1 2:8(+1+1) 3:9 1:16\n      |       ^");
}

TEST(PlanText, AcceptsAnotherHaloAndAnotherOrder) {
  const Planned p = residual();
  std::string text = replaced(to_text(p.plan, p.graph), "2:8(+1+1) 3:8(+1+1) 1:16", "1:16 2:8 3:8");
  const auto plan = parse_plan(text, "p.plan", p.graph, {});
  ASSERT_TRUE(plan) << to_text(plan.error()[0]);
  EXPECT_EQ(to_text(*plan, p.graph), text);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(PlanText, RefusesFactsThatAreNotTheGraphs) {
  const Planned p = residual();
  const std::string text = to_text(p.plan, p.graph);
  const std::string other_type = replaced(text, "\"a\" Relu", "\"a\" Sigmoid");
  EXPECT_EQ(first_line(first_fault(p, other_type)),
            "p.plan:8:8: error: the plan says that node \"a\" is a Sigmoid but the graph's is a "
            "Relu; make the plan anew with frit plan -o [plan-fact]");
  EXPECT_EQ(
      first_line(first_fault(p, replaced(text, "\"x\" f32[1,16,8,8]", "\"x\" f32[1,16,8,9]"))),
      "p.plan:2:4: error: the plan says that \"x\" is f32[1,16,8,9] but the graph's is "
      "f32[1,16,8,8]; pass the --shape of the plan or make it anew with frit plan -o [plan-fact]");
  const Diagnostics told = compare_plan(other_type, "p.plan", p.graph, p.plan);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].code, "plan-fact");
}

TEST(PlanText, RefusesABorderThatNobodyReads) {
  const Planned p = residual();
  const std::string text = to_text(p.plan, p.graph);
  EXPECT_EQ(first_line(first_fault(p, replaced(text, "2:8(+1+1)", "2:8(+1+9999999)"))),
            "p.plan:5:7: error: \"x/layout\" has a border of 9999999 along axis 2 but nothing "
            "reads more than 1 beyond it; write that [plan-border]");
  EXPECT_EQ(first_line(first_fault(p, replaced(text, "2:8(+1+1)", "2:8(+1+9999999999)"))),
            "p.plan:5:7: error: the storage of \"x/layout\" has the number 9999999999 but borders "
            "and strides are at most 2147483647; correct the line [plan-too-large]");
}

TEST(PlanText, NamesAnOutputAsTheModelDoes) {
  GraphBuilder b;
  const ValueId x = b.input("x", {2, 3});
  const ValueId y = b.add("Relu", "y", {x});
  b.output(y);
  b.output(y);
  b.output(x);
  const Planned p = plan_of(b);
  const std::string text = to_text(p.plan, p.graph);
  EXPECT_NE(text.find("out \"x/layout\" f32[2,3] stored 0:2 1:3  # the model's output \"x\"\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("out \"y/layout\" f32[2,3] stored 0:2 1:3  # the model's output \"y\"\n"),
            std::string::npos)
      << text;
  EXPECT_NE(to_text(p.graph).find("output y\noutput y/layout as y\noutput x/layout as x\n"),
            std::string::npos)
      << to_text(p.graph);
  EXPECT_TRUE(parse_plan(text, "p.plan", p.graph, {}));
}

TEST(PlanText, SaysWhatTheGrammarExpects) {
  const Planned p = residual();
  EXPECT_EQ(first_fault(p, "plan 1\ngroup zero kernel conv2d\n"),
            "p.plan:2:7: error: expected the group's number but found 'zero'; write the line as "
            "frit plan does [plan-text]\n    2 | group zero kernel conv2d\n      |       ^");
  EXPECT_EQ(
      first_fault(p, ""),
      "error: the file is empty but a plan starts 'plan 1'; make it with frit plan -o [plan-text]");
}

TEST(PlanText, ExpectationNamesTheMissedFusion) {
  const Planned p = residual();
  PlanOptions options;
  options.forbid = {{"first", "a"}};
  Planned now = p;
  now.plan = *make_plan(p.graph, options);
  const Diagnostics faults = compare_plan(to_text(p.plan, p.graph), "p.plan", p.graph, now.plan);
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults[0].code, "plan-missed");
  EXPECT_EQ(
      faults[0].message,
      "the plan expects 'first' (Conv) and 'a' (Relu) fused, but 'first' (Conv) and 'a' (Relu) "
      "would share a kernel, but --no-fuse first,a forbids it [user-forbid]");
}

TEST(Explain, APairInFullSentencesWithTheNextStep) {
  GraphBuilder b;
  const ValueId a = b.add("Relu", "a", {b.input("x", {4, 8})});
  b.output(a);
  b.output(b.add("Exp", "e", {a}));
  const Planned p = plan_of(b);
  EXPECT_EQ(
      explain_pair(p.plan, p.graph, "a", "e").value(),
      "'a' (Relu) is in elementwise_0 and 'e' (Exp) in elementwise_1: two kernels.\n"
      "'a' (Relu) -> 'e' (Exp): not fused [graph-output]\n"
      "  'a' is a graph output and must be stored, but 'e' (Exp) would keep it in a kernel\n"
      "  bytes_before 256, bytes_after 0, working_set_bytes 128, cache_level 1, saved_ns 304.3\n"
      "  next: Take the value off the graph's outputs if no caller needs it.\n");
}

TEST(Explain, APairThatAPassMadeOneNode) {
  GraphBuilder b;
  b.output(b.add("Relu", "a", {b.input("x", {4, 8})}));
  b.graph().nodes()[0].origins = {"conv", "bn"};
  const Planned p = plan_of(b);
  EXPECT_EQ(
      explain_pair(p.plan, p.graph, "conv", "bn").value(),
      "A pass has made 'conv' and 'bn' into one node, 'a' (Relu), in elementwise_0. 'frit show "
      "passes' says which.\n");
}

TEST(Explain, AFusedPairAndAWayOfSeveralEdges) {
  const Planned p = residual();
  EXPECT_EQ(explain_pair(p.plan, p.graph, "second", "sum").value(),
            "'second' (Conv) and 'sum' (Add) share kernel conv2d_2 (2 nodes).\n"
            "'second' (Conv) -> 'sum' (Add): fused\n"
            "  'second' (4.0 KB) stays in the kernel of 'second' (Conv) and 'sum' (Add) instead of "
            "being written and read again\n"
            "  bytes_before 8192, bytes_after 0, working_set_bytes 4096, cache_level 1, saved_ns "
            "436.5\n");
  const std::string text = explain_pair(p.plan, p.graph, "first", "mean").value();
  EXPECT_NE(text.find("the way has 3 edges"), std::string::npos) << text;
  EXPECT_FALSE(explain_pair(p.plan, p.graph, "first", "nothing"));
}

}  // namespace
}  // namespace frit

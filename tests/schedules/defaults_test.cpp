// Where stages go that no text places, and what a schedule may know of a target.
#include "schedules/defaults.h"

#include "ops/whole.h"
#include "schedules/loop_nest.h"
#include "tests/schedules/small_pipelines.h"

namespace frit::testing {
namespace {

// in -> pre_0 (cost 20) -> max over r -> sum of pre_0 * max -> out: two reductions over rows.
Composer rows(int outer, int inner, int cost) {
  return [=] {
    auto p = std::make_unique<SmallPipeline>();
    auto in = p->input("in_0", {inner, outer});
    const Halide::Var d("d0"), x("r");
    Stage& pre = p->add("pre_0", {"d0", "r"}, {outer, inner});
    pre() = in(x, d) * 0.5F;
    pre.op_cost = cost;
    Stage& top = p->add("max", {"d0"}, {outer});
    Halide::RDom r = reduction_domain({"r"}, {inner}, top.reduction);
    top() = -100.0F;
    top() = Halide::max(top(), pre({d, r}));
    Stage& sum = p->add("sum", {"d0"}, {outer});
    Halide::RDom s = reduction_domain({"r"}, {inner}, sum.reduction);
    sum() = 0.0F;
    sum() += pre({d, s}) * top();
    Stage& out = p->add("out", {"d0", "r"}, {outer, inner});
    out() = pre() + sum({d}) * top({d});
    p->finish("test", {{"r", inner}, {"d0", outer}});
    return p;
  };
}

std::string place_of(PipelineState& pipeline, const std::string& role) {
  const StageState* stage = pipeline.find(role);
  switch (stage->compute.kind) {
    case Placement::Kind::kUnplaced:
      return "unplaced";
    case Placement::Kind::kInline:
      return "inline";
    case Placement::Kind::kRoot:
      return "root";
    case Placement::Kind::kAt:
      return stage->compute.consumer->role() + "." + stage->compute.loop;
  }
  return "";
}

TEST(Defaults, RowStatisticsAreComputedOncePerRow) {
  auto p = rows(9, 31, 20)();
  PipelineState pipeline(p->view);
  ASSERT_TRUE(place_remaining(pipeline, host()).has_value());
  EXPECT_EQ(place_of(pipeline, "max"), "out.d0");
  EXPECT_EQ(place_of(pipeline, "sum"), "out.d0");
  EXPECT_EQ(place_of(pipeline, "pre_0"), "out.d0");  // 3 reads of 20 operations: stored
}

TEST(Defaults, CheapStagesAreRepeated) {
  auto p = rows(9, 31, 1)();
  PipelineState pipeline(p->view);
  ASSERT_TRUE(place_remaining(pipeline, host()).has_value());
  EXPECT_EQ(place_of(pipeline, "pre_0"), "inline");
}

// in -> acc, running sums along a row, which its operator fixes at the root -> out
TEST(Defaults, AScanIsComputedOnceWhereverItIsRead) {
  auto p = std::make_unique<SmallPipeline>();
  auto in = p->input("in_0", {33, 5});
  const Halide::Var d("d0"), x("d1");
  Stage& acc = p->add("acc", {"d0", "d1"}, {5, 33});
  acc() = in(x, d);
  compute_whole(acc);
  const Halide::RDom r = reduction_domain({"r0"}, {32}, acc.reduction);
  acc({d, r + 1}) += acc({d, r});
  Stage& out = p->add("out", {"d0", "d1"}, {5, 33});
  out() = acc();
  p->finish("test", {{"d0", 5}, {"d1", 33}});
  PipelineState pipeline(p->view);
  ASSERT_TRUE(place_remaining(pipeline, host()).has_value());
  EXPECT_EQ(place_of(pipeline, "acc"), "root");  // at out.d1 each sum would be taken anew
  EXPECT_EQ(p->run().size(), 165U);
}

TEST(Defaults, TheSafeScheduleKeepsTheResult) {
  for (const auto& [outer, inner] : {std::pair{1, 1}, {7, 9}, {8, 31}, {9, 65}}) {
    for (const int cost : {1, 20}) {
      const Composer compose = rows(outer, inner, cost);
      const std::vector<float> want = unscheduled(compose);
      auto p = compose();
      ASSERT_TRUE(apply_default_schedule(p->view, target_facts(host(), 2), host()).has_value());
      const std::vector<float> got = p->run();
      for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(want[i], got[i], 1e-3);
    }
  }
}

TEST(Defaults, AReductionWhoseReaderTheTextPlacesFollowsIt) {
  // The text puts sum at the root; max, which both sum and out read, can only go there too.
  expect_same(rows(7, 9, 20), "sum.compute_root()\n", 1e-5F);
  auto p = rows(7, 9, 1)();
  PipelineState pipeline(p->view);
  StageState* sum = pipeline.find("sum");
  sum->stage->func.compute_root();
  sum->compute.kind = Placement::Kind::kRoot;
  ASSERT_TRUE(place_remaining(pipeline, host()).has_value());
  EXPECT_EQ(place_of(pipeline, "max"), "root");
}

TEST(TargetFacts, SayWhatTheTargetHas) {
  const Facts avx512 =
      target_facts(Halide::Target("x86-64-linux-avx-avx2-fma-sse41-avx512-avx512_skylake"), 2);
  EXPECT_EQ(avx512.at("lanes"), 16);
  EXPECT_EQ(avx512.at("registers"), 32);
  EXPECT_EQ(avx512.at("threads"), 2);
  EXPECT_EQ(avx512.at("avx512"), 1);
  const Facts arm = target_facts(Halide::Target("arm-64-linux"), 1);
  EXPECT_EQ(arm.at("lanes"), 4);
  EXPECT_EQ(arm.at("neon"), 1);
  EXPECT_EQ(arm.at("x86"), 0);
  const Facts cuda = target_facts(Halide::Target("x86-64-linux-cuda"), 1);
  EXPECT_EQ(cuda.at("gpu"), 1);
  EXPECT_EQ(cuda.at("opencl"), 0);
}

}  // namespace
}  // namespace frit::testing

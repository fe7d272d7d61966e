#include "generators/emit/emit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "generators/emit/hash.h"
#include "generators/emit/target.h"
#include "generators/fusion/planner.h"
#include "tests/generators/package/hand_made_testing.h"
#include "tests/support/graph_builder.h"

namespace frit {
namespace {

TEST(Emit, ADamagedCacheEntryIsCompiledAgain) {
  const TestFolder folder;
  GraphBuilder b;
  b.output(b.add("Exp", "y", {b.input("x", {37})}));
  Graph graph = b.graph();
  insert_layouts(graph);
  const auto plan = make_plan(graph, {});
  ASSERT_TRUE(plan);
  EmitOptions options;
  options.target = *parse_target("host", false);
  options.cache_folder = folder.path();
  const auto first = emit_model(graph, *plan, options);
  ASSERT_TRUE(first);
  const std::string object = first->kernels.at(0).object_path;
  const std::string right = sha256_of_file(object);
  const std::string record = std::filesystem::path(object).replace_extension(".json");
  for (const std::string& damaged : {object, record}) {
    for (const char* content : {"", "spoilt"}) {
      std::ofstream(damaged, std::ios::trunc) << content;
      const auto again = emit_model(graph, *plan, options);
      ASSERT_TRUE(again) << damaged << content;
      EXPECT_EQ(sha256_of_file(object), right) << damaged << content;
    }
  }
}

Schedule schedule_of(const std::string& text, const std::string& file) {
  auto schedule = parse_schedule(text, file);
  if (!schedule) throw std::runtime_error(to_text(schedule.error().front()));
  return *schedule;
}

// y = exp(x) under these schedules.
class UnderSchedules : public ::testing::Test {
 protected:
  UnderSchedules() {
    GraphBuilder b;
    b.output(b.add("Exp", "y", {b.input("x", {37})}));
    graph_ = b.graph();
    insert_layouts(graph_);
    options_.target = *parse_target("host", false);
    options_.cache_folder = folder_.path();
  }
  tl::expected<CompiledModel, Diagnostics> compiled() {
    return emit_model(graph_, *make_plan(graph_, {}), options_);
  }

  const Schedule no_stage_ = schedule_of(
      "schedule 1\nfor elementwise\npriority 3\nnothing.parallel(dim0)\n", "no_stage.sched");
  const Schedule no_value_ = schedule_of(
      "schedule 1\nfor elementwise\npriority 2\nparam n = 1 / (nodes - nodes) in {1, 2}\n",
      "no_value.sched");
  const Schedule good_ =
      schedule_of("schedule 1\nfor elementwise\npriority 1\nout.unroll(dim0, 2)\n", "good.sched");
  TestFolder folder_;
  Graph graph_;
  EmitOptions options_;
};

TEST_F(UnderSchedules, AShippedOneThatFailsGivesWayToTheNextWithAWarning) {
  options_.shipped_schedules = {no_stage_, no_value_, good_};
  const auto model = compiled();
  ASSERT_TRUE(model) << to_text(model.error().front());
  EXPECT_EQ(model->kernels.at(0).schedule_name, "good.sched");
  ASSERT_EQ(model->warnings.size(), 2U);
  for (const Diagnostic& warning : model->warnings) {
    EXPECT_EQ(warning.severity, Severity::kWarning);
    EXPECT_EQ(warning.code, "emit-fallback");
  }
  EXPECT_NE(model->warnings[0].message.find("no stage 'nothing'"), std::string::npos);
  EXPECT_NE(model->warnings[0].message.find("no_stage.sched"), std::string::npos);
  EXPECT_NE(model->warnings[1].message.find("no_value.sched"), std::string::npos);
  EXPECT_NE(model->warnings[1].message.find("sched-arithmetic"), std::string::npos);
}

TEST_F(UnderSchedules, TheLastResortIsTheSafeDefault) {
  options_.shipped_schedules = {no_stage_};
  const auto model = compiled();
  ASSERT_TRUE(model) << to_text(model.error().front());
  EXPECT_EQ(model->kernels.at(0).schedule_name, "default");
  EXPECT_EQ(model->warnings.size(), 1U);
}

TEST_F(UnderSchedules, AUsersThatFailsEndsTheBuild) {
  for (const Schedule& schedule : {no_stage_, no_value_}) {
    options_.user_schedules = {schedule};
    const auto model = compiled();
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().size(), 1U);
    EXPECT_EQ(model.error().front().place.file, schedule.file);
  }
}

TEST(Emit, ATargetThatNoKernelIsCompiledForIsRefusedAtOnce) {
  for (const char* name : {"riscv-64-linux", "wasm-32-wasmrt", "x86-64-windows", "nonsense"}) {
    const auto target = parse_target(name, false);
    ASSERT_FALSE(target) << name;
    EXPECT_EQ(target.error().code, "target-name");
  }
}

}  // namespace
}  // namespace frit

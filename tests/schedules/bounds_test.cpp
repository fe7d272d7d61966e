// Shipped schedules keep every kernel inside of its buffers: proven from the checks that Halide
// puts into a build with asserts (release kernels have none), at several vector widths.
#include "schedules/bounds.h"

#include <Halide.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "generators/build.h"
#include "generators/compose/compose.h"
#include "generators/emit/bind.h"
#include "generators/emit/lower.h"
#include "tests/support/graph_builder.h"

namespace frit {
namespace {

constexpr const char* kTargets[] = {"x86-64-linux-avx-f16c-fma-avx2-sse41-avx512-avx512_skylake",
                                    "x86-64-linux-avx-fma-avx2-sse41",
                                    "x86-64-linux-sse41",
                                    "arm-64-linux",
                                    "x86-64-linux-opencl",
                                    "x86-64-linux-cuda"};

std::string faults_under(const Graph& graph, const Plan& plan, const Group& group,
                         const BoundSchedule& schedule, const Halide::Target& target) {
  const auto lowered = lower_group(graph, plan, group, schedule, target, "frit_bounds_test");
  if (!lowered) return to_text(lowered.error());
  std::string faults;
  for (const Diagnostic& fault : accesses_outside(lowered->module, {})) {
    faults += group.name + " under " + schedule.name + ": " + to_text(fault) + "\n";
  }
  return faults;
}

// Faults of every kernel group under the schedule that a build would choose.
std::string faults_of(const Graph& graph, const Plan& plan, const std::string& target_name,
                      int threads) {
  EmitOptions options;
  options.target = Halide::Target(target_name);
  options.threads = threads;
  const auto lower_levels = parse_cpu_levels({"baseline", "avx2"}, true);
  std::string faults;
  for (const Group& group : plan.groups) {
    if (group.kind != GroupKind::kKernel) continue;
    const auto schedule = bind_schedule(graph, plan, group, options);
    if (!schedule) return to_text(schedule.error());
    faults += faults_under(graph, plan, group, *schedule, options.target);
    if (!options.target.has_feature(Halide::Target::AVX512_Skylake)) continue;
    for (const CpuLevel& level : *lower_levels) {
      const auto lower = bind_lower_schedule(graph, plan, group, options, level, *schedule);
      if (!lower) return to_text(lower.error());
      faults += faults_under(graph, plan, group, *lower, level.target);
    }
  }
  return faults;
}

TEST(Bounds, SmallGroupsStayInside) {
  GraphBuilder builder;
  const ValueId x = builder.input("x", {1, 3, 7, 9});
  const ValueId first = builder.conv("first", x, 17, 3, 2);
  const ValueId act = builder.add("HardSwish", "act", {first});
  const ValueId depth = builder.conv("depth", act, 17, 5, 1, 17);
  const ValueId mean = builder.add("GlobalAveragePool", "mean", {depth});
  builder.output(builder.add("Mul", "gated", {depth, mean}));
  insert_layouts(builder.graph());
  const auto plan = make_plan(builder.graph(), {});
  ASSERT_TRUE(plan.has_value());
  for (const char* target : kTargets) {
    SCOPED_TRACE(target);
    EXPECT_EQ(faults_of(builder.graph(), *plan, target, 2), "");
  }
}

void model_stays_inside(const char* file, const std::vector<std::int64_t>& shape) {
  BuildOptions options;
  options.model = std::string(FRIT_SOURCE_DIR) + "/build/models/" + file;
  if (!std::filesystem::exists(options.model)) GTEST_SKIP() << "no " << options.model;
  options.import.shapes["x"] = shape;
  const auto planned = plan_model(options);
  ASSERT_TRUE(planned.has_value()) << to_text(planned.error().front());
  for (const char* target : kTargets) {
    SCOPED_TRACE(target);
    EXPECT_EQ(faults_of(planned->graph, planned->plan, target, 1), "");
  }
}

TEST(Bounds, SlowRecogniserStaysInside) {
  model_stays_inside("ch_PP-OCRv4_rec_infer.onnx", {1, 3, 48, 320});
}

TEST(Bounds, SlowClassifierStaysInside) {
  model_stays_inside("ch_ppocr_mobile_v2.0_cls_infer.onnx", {1, 3, 48, 192});
}

}  // namespace
}  // namespace frit

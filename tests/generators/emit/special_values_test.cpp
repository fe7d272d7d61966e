// NaN and infinity through whole kernels, where a constant invites a compiler to forget them.
#include <gtest/gtest.h>

#include "generators/emit/emit.h"
#include "generators/emit/target.h"
#include "generators/fusion/planner.h"
#include "generators/verify/verify_model.h"
#include "tests/support/graph_builder.h"

namespace frit {
namespace {

void expect_right_on_special_data(Graph graph) {
  const Graph original = graph;
  insert_layouts(graph);
  const auto plan = make_plan(graph, {});
  ASSERT_TRUE(plan) << to_text(plan.error());
  EmitOptions options;
  options.target = *parse_target("host", false);
  options.cache_folder = std::string(FRIT_BINARY_DIR) + "/test-cache";
  const auto model = emit_model(graph, *plan, options);
  ASSERT_TRUE(model) << to_text(model.error().front());
  VerifyOptions verify;
  verify.groups = true;
  verify.kinds = {DataKind::kSpecial};
  verify.whole_by_bounds = true;
  const auto verdict = verify_model(original, graph, *plan, *model, verify);
  ASSERT_TRUE(verdict) << to_text(verdict.error());
  EXPECT_TRUE(verdict->passed()) << to_text(*verdict, true);
}

TEST(SpecialValues, AProductWithAConstantZeroKeepsNaN) {
  for (const float zero : {0.0F, -0.0F}) {
    GraphBuilder b;
    const ValueId x = b.input("x", {3, 37});
    b.output(b.add("Mul", "y", {x, b.constant("zero", Tensor::f32({}, {zero}))}));
    expect_right_on_special_data(b.graph());
  }
}

TEST(SpecialValues, AGemmWithAlphaZeroKeepsNaN) {
  GraphBuilder b;
  const ValueId a = b.input("a", {3, 5});
  const ValueId right = b.input("b", {5, 7});
  const ValueId c = b.constant("c", Tensor::f32({}, {0.62F}));
  b.output(b.add("Gemm", "y", {a, right, c}, {{"alpha", 0.0F}}));
  expect_right_on_special_data(b.graph());
}

}  // namespace
}  // namespace frit

#include "generators/verify/verify_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "generators/emit/emit.h"
#include "generators/emit/target.h"
#include "generators/fusion/planner.h"
#include "generators/passes/passes.h"

namespace frit::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// y = relu(x W + b), named as an importer would.
struct Dense {
  Graph imported, graph;
  Plan plan;
  CompiledModel model;

  Dense() {
    const ValueId x = imported.add_value({"x", TensorType(DType::kF32, {5, 4}), {}, kNone});
    const Tensor weights = test_tensor(TensorType(DType::kF32, {4, 3}), DataKind::kRandom, 1);
    const ValueId w = imported.add_value({"w", weights.type(), weights, kNone});
    const Tensor bias = Tensor::f32({3}, {0.5f, -0.25f, 1.0f});
    const ValueId b = imported.add_value({"b", bias.type(), bias, kNone});
    const ValueId product = node("MatMul", "product", {x, w});
    const ValueId sum = node("Add", "sum", {product, b});
    imported.inputs = {x};
    imported.outputs = {node("Relu", "y", {sum})};
    graph = imported;
    EXPECT_TRUE(run_passes(graph));
    insert_layouts(graph);
    plan = *make_plan(graph, {});
    EmitOptions options;
    options.target = *parse_target("host", false);
    options.cache_folder = std::string(FRIT_BINARY_DIR) + "/test-cache";
    model = *emit_model(graph, plan, options);
  }

  ValueId node(const std::string& type, const std::string& name, std::vector<ValueId> inputs) {
    const ValueId id = imported.add_value({name, TensorType(DType::kF32, {5, 3}), {}, kNone});
    Node made;
    made.type = type;
    made.name = "make_" + name;
    made.origins = {made.name};
    made.opset = 17;
    made.inputs = std::move(inputs);
    made.outputs = {id};
    imported.add_node(std::move(made));
    return id;
  }

  Result<ModelVerdict> verify(const VerifyOptions& options) const {
    return verify_model(imported, graph, plan, model, options);
  }
};

TEST(VerifyModel, AcceptsARightModelOnEveryKindOfData) {
  const Dense dense;
  VerifyOptions options;
  options.groups = true;
  options.kinds = corner_kinds();
  options.kinds.push_back(DataKind::kRandom);
  for (const bool by_bounds : {false, true}) {
    options.whole_by_bounds = by_bounds;
    const auto verdict = dense.verify(options);
    ASSERT_TRUE(verdict) << to_text(verdict.error());
    EXPECT_EQ(verdict->runs.size(), options.kinds.size());
    EXPECT_TRUE(verdict->passed()) << to_text(*verdict, true);
  }
}

// One weight of the compiled model off by 1e-3: the whole and the one group are wrong.
TEST(VerifyModel, FindsAWrongConstantAndNamesItsNodes) {
  Dense dense;
  ASSERT_FALSE(dense.model.constants.empty());
  for (CompiledModel::Constant& constant : dense.model.constants) {
    auto bytes = std::make_shared<std::vector<std::byte>>(constant.data.bytes().begin(),
                                                          constant.data.bytes().end());
    float first = 0.0f;
    std::memcpy(&first, bytes->data(), sizeof first);
    first += 1e-3f;
    std::memcpy(bytes->data(), &first, sizeof first);
    constant.data = Tensor(constant.data.dtype(), constant.data.dims(), std::move(bytes));
  }
  VerifyOptions options;
  options.groups = true;
  const auto verdict = dense.verify(options);
  ASSERT_TRUE(verdict) << to_text(verdict.error());
  EXPECT_FALSE(verdict->passed());
  ASSERT_EQ(verdict->runs[0].groups.size(), 1u);
  EXPECT_FALSE(verdict->runs[0].groups[0].passed());
  EXPECT_THAT(verdict->runs[0].groups[0].origins,
              ElementsAre("make_product", "make_sum", "make_y"));
  EXPECT_THAT(to_text(*verdict, false), HasSubstr("made from make_product, make_sum, make_y"));
}

TEST(VerifyModel, UsesTheGivenInputsAndTheGivenWayToRun) {
  const Dense dense;
  VerifyOptions options;
  options.inputs["x"] = test_tensor(TensorType(DType::kF32, {5, 4}), DataKind::kOnes, 0);
  std::vector<Tensor> seen;
  options.run_whole = [&](const std::vector<Tensor>& inputs) -> Result<std::vector<Tensor>> {
    seen = inputs;
    return std::vector{Tensor::f32({5, 3}, std::vector<float>(15, -7.0f))};
  };
  const auto verdict = dense.verify(options);
  ASSERT_TRUE(verdict) << to_text(verdict.error());
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].data<float>()[0], 1.0f);
  EXPECT_EQ(verdict->runs[0].outputs[0].comparison.mismatches, 15);
}

}  // namespace
}  // namespace frit::test

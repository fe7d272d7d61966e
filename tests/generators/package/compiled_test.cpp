// Whole models through planner, compiler, memory plan and package, against the reference.
#include <gtest/gtest.h>

#include <algorithm>

#include "generators/emit/emit.h"
#include "generators/emit/target.h"
#include "generators/fusion/planner.h"
#include "generators/package/loaded_package.h"
#include "generators/passes/passes.h"
#include "generators/verify/compare.h"
#include "generators/verify/evaluate.h"
#include "tests/generators/package/hand_made_testing.h"
#include "tests/support/graph_builder.h"

namespace frit {
namespace {

Tensor ramp(const TensorType& type, int salt) {
  std::vector<float> values(static_cast<std::size_t>(type.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] =
        static_cast<float>((i * 37 + static_cast<std::size_t>(salt) * 11) % 101) / 50.0F - 1;
  }
  return Tensor::f32(type.dims(), values);
}

struct Built {
  Graph graph;
  SharedObject object;
};

// Compiles to a shared object; fails the test with the diagnostic otherwise.
std::optional<Built> build(Graph graph, const std::string& folder, int threads, bool debug) {
  insert_layouts(graph);
  const Result<Plan> plan = make_plan(graph, {});
  if (!plan) {
    ADD_FAILURE() << to_text(plan.error());
    return std::nullopt;
  }
  EmitOptions options;
  options.target = *parse_target("host", debug);
  options.threads = threads;
  options.cache_folder = folder + "/cache";
  const auto compiled = emit_model(graph, *plan, options);
  if (!compiled) {
    ADD_FAILURE() << to_text(compiled.error()[0]);
    return std::nullopt;
  }
  PackageOptions package;
  package.name = "net";
  package.out_dir = folder;
  package.target = options.target;
  package.threads = threads;
  package.debug = debug;
  const auto object = write_shared_object(graph, *plan, *compiled, package);
  if (!object) {
    ADD_FAILURE() << to_text(object.error());
    return std::nullopt;
  }
  return Built{graph, *object};
}

// Three runs on different data, each output judged by the whole-model rule.
void expect_equal_to_reference(const Built& built, int threads) {
  Result<LoadedPackage> package = LoadedPackage::load(built.object, built.graph, threads);
  ASSERT_TRUE(package) << to_text(package.error());
  for (int run = 0; run < 3; ++run) {
    std::vector<Tensor> inputs;
    RefValues known;
    for (const ValueId input : built.graph.inputs) {
      inputs.push_back(ramp(built.graph.value(input).type, run));
      known[input] = RefTensor::from(inputs.back());
    }
    const auto outputs = package->run(inputs);
    ASSERT_TRUE(outputs) << to_text(outputs.error());
    const auto exact = evaluate_graph(built.graph, known, RefPrecision::kDouble);
    const auto naive = evaluate_graph(built.graph, known, RefPrecision::kNaive32);
    ASSERT_TRUE(exact && naive);
    for (std::size_t i = 0; i < outputs->size(); ++i) {
      const ValueId id = built.graph.outputs[i];
      const Comparison judged = compare_model((*outputs)[i], exact->at(id), naive->at(id), nullptr);
      EXPECT_TRUE(judged.passed) << built.graph.value(id).name << ": " << to_text(judged);
    }
  }
}

// Convolutions with halos, a residual, in-place arithmetic, a concat and a slice, two outputs.
Graph network() {
  GraphBuilder b;
  const ValueId x = b.input("x", {1, 3, 17, 23});
  const ValueId c1 = b.add("Relu", "relu1", {b.conv("conv1", x, 16)});
  const ValueId c2 = b.conv("conv2", c1, 16);
  const ValueId sum = b.add("Add", "residual", {c1, c2});
  const ValueId depth = b.conv("depthwise", sum, 16, 3, 2, 16);
  const ValueId gate = b.add("Sigmoid", "gate", {depth});
  const ValueId swish = b.add("Mul", "swish", {depth, gate});
  const ValueId left = b.conv("left", swish, 8, 1);
  const ValueId right = b.add("Relu", "right_relu", {b.conv("right", swish, 24, 3)});
  const ValueId both = b.add("Concat", "both", {left, right}, {{"axis", std::int64_t{1}}});
  const ValueId pooled = b.add("GlobalAveragePool", "pooled", {both});
  b.output(both);
  b.output(pooled);
  return b.graph();
}

TEST(Compiled, NetworkEqualsItsReference) {
  TestFolder folder;
  const auto built = build(network(), folder.path(), 1, false);
  ASSERT_TRUE(built);
  expect_equal_to_reference(*built, 1);
}

TEST(Compiled, NetworkWithThreadsEqualsItsReference) {
  TestFolder folder;
  const auto built = build(network(), folder.path(), 3, false);
  ASSERT_TRUE(built);
  expect_equal_to_reference(*built, 3);
  expect_equal_to_reference(*built, 1);
}

// Kernels keep their own checks here, so that strides, alignments and bounds are tried by them.
TEST(Compiled, DebugNetworkPassesTheKernelsOwnChecks) {
  TestFolder folder;
  const auto built = build(network(), folder.path(), 1, true);
  ASSERT_TRUE(built);
  expect_equal_to_reference(*built, 1);
}

// A scan, a scatter with duplicates and TopK, whose kernel calls the runtime; long enough for
// threads.
Graph index_network() {
  GraphBuilder b(24);
  const ValueId x = b.input("x", {64, 700});
  const ValueId axis = b.constant("axis", Tensor::of<std::int32_t>(DType::kI32, {}, {1}));
  const ValueId sums = b.add("CumSum", "sums", {x, axis});
  std::vector<std::int64_t> places(192);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i % 3 / 2);
  const ValueId indices = b.constant("indices", Tensor::i64({64, 3}, places));
  const ValueId updates = b.constant("updates", {64, 3});
  const ValueId scattered = b.add("ScatterElements", "scattered", {sums, indices, updates},
                                  {{"axis", std::int64_t{1}}, {"reduction", std::string("add")}});
  b.add("TopK", "top", {x, b.constant("k", Tensor::i64({1}, {5}))}, {}, 2);
  b.output(scattered);
  for (const ValueId output : b.outputs_of("top")) b.output(output);
  EXPECT_TRUE(expand(b.graph()));
  return b.graph();
}

TEST(Compiled, ScansScattersAndTopKEqualTheirReference) {
  TestFolder folder;
  for (const int threads : {1, 3}) {
    const auto built =
        build(index_network(), folder.path() + std::to_string(threads), threads, false);
    ASSERT_TRUE(built);
    expect_equal_to_reference(*built, threads);
  }
}

TEST(Compiled, ACalledFunctionIsLinkedIn) {
  TestFolder folder;
  const auto built = build(index_network(), folder.path(), 1, true);
  ASSERT_TRUE(built);
  expect_equal_to_reference(*built, 1);
  // libc's two, and what every shared object has
  EXPECT_EQ(
      shell("nm -u '" + built->object.path + "' | grep -v -e ' w ' -e memcpy -e memset").output,
      "");
}

}  // namespace
}  // namespace frit

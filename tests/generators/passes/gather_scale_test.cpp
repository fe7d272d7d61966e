#include <gtest/gtest.h>

#include "generators/passes/passes.h"
#include "tests/support/model_builder.h"

namespace frit {
namespace {

using testing::Ints;
using testing::ModelBuilder;

PassChanges run_equal(Graph& graph) {
  EXPECT_TRUE(canonicalise(graph));
  const auto before = testing::outputs_of(graph);
  auto changes = gather_scale(graph);
  EXPECT_TRUE(changes);
  EXPECT_TRUE(remove_dead_code(graph));
  graph.check();
  EXPECT_LT(testing::distance(before, testing::outputs_of(graph)), 1e-6);
  return std::move(*changes);
}

ModelBuilder conv_model() {
  ModelBuilder m;
  m.input("x", {1, 4, 5, 5}).weights("w", {4, 4, 3, 3}).weights("b", {4});
  m.node("Conv", {"x", "w", "b"}, {"c"}, {{"pads", Ints{1, 1, 1, 1}}}, "conv1");
  return m;
}

// The constant that node `position` reads beside its data.
std::vector<float> constant_of(const Graph& graph, std::size_t position) {
  const Tensor& tensor = *graph.value(graph.nodes()[position].inputs[1]).constant;
  return {tensor.data<float>().begin(), tensor.data<float>().end()};
}

TEST(GatherScale, AChainWithABiasBecomesOneMulAndOneAddAndTheWeightsStay) {
  ModelBuilder m = conv_model();
  m.constant("s", {1}, {1.375F}).constant("t", {4, 1, 1}, {1, 2, 3, 4}).constant("u", {}, {3.0F});
  m.node("Mul", {"s", "c"}, {"m"}, {}, "mul1").node("Add", {"m", "t"}, {"a"}, {}, "add1");
  m.node("Mul", {"a", "u"}, {"y"}, {}, "mul2").output("y");
  Graph graph = m.imported();
  const Tensor weights = *graph.value(*graph.value_named("w")).constant;
  EXPECT_EQ(run_equal(graph),
            PassChanges{"'mul1', 'add1' and 'mul2' became one Mul and one Add after 'conv1'"});
  EXPECT_EQ(testing::types_of(graph), "Conv Mul Add");
  const Node& conv = graph.nodes()[0];
  EXPECT_EQ(conv.inputs.size(), 2U);
  const auto kept = graph.value(conv.inputs[1]).constant->data<float>();
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), weights.data<float>().begin()));
  EXPECT_EQ(constant_of(graph, 1), std::vector<float>(4, 1.375F * 3.0F));
  EXPECT_EQ(graph.nodes()[2].origins, (std::vector<std::string>{"mul1", "add1", "mul2"}));
}

TEST(GatherScale, RunsOnceAndIsThenContent) {
  ModelBuilder m = conv_model();
  m.constant("s", {1}, {1.375F}).weights("t", {4, 1, 1});
  m.node("Mul", {"c", "s"}, {"m"}).node("Add", {"m", "t"}, {"y"}).output("y");
  Graph graph = m.imported();
  EXPECT_EQ(run_equal(graph).size(), 1U);
  EXPECT_EQ(run_equal(graph), PassChanges{});
}

TEST(GatherScale, ABatchNormAfterAConvHasTheConvsBiasInItsAdd) {
  ModelBuilder m;
  m.input("x", {1, 1, 1, 1}).constant("w", {1, 1, 1, 1}, {2}).constant("b", {1}, {3});
  m.constant("scale", {1}, {0.7F}).constant("shift", {1}, {1}).constant("mean", {1}, {0});
  m.constant("var", {1}, {1});
  m.node("Conv", {"x", "w", "b"}, {"c"}, {}, "conv1");
  m.node("BatchNormalization", {"c", "scale", "shift", "mean", "var"}, {"y"}, {{"epsilon", 0.0F}},
         "bn1");
  m.output("y");
  Graph graph = m.imported();
  EXPECT_EQ(run_equal(graph), PassChanges{"'bn1' became one Mul and one Add after 'conv1'"});
  EXPECT_EQ(constant_of(graph, 1), std::vector<float>{0.7F});
  EXPECT_EQ(constant_of(graph, 2), std::vector<float>{3.1F});  // 3 * 0.7 + 1
}

TEST(GatherScale, PowersOfTwoGoIntoTheWeights) {
  ModelBuilder m = conv_model();
  m.constant("s", {4, 1, 1}, {2, 0.5F, -4, 1}).weights("t", {4, 1, 1});
  m.node("Mul", {"c", "s"}, {"m"}, {}, "mul1").node("Add", {"m", "t"}, {"y"}, {}, "add1");
  m.output("y");
  Graph graph = m.imported();
  EXPECT_EQ(run_equal(graph), PassChanges{"'mul1' and 'add1' went into 'conv1' exactly"});
  EXPECT_EQ(testing::types_of(graph), "Conv");
}

TEST(GatherScale, AReaderOfTheConvsOwnResultKeepsItsBias) {
  ModelBuilder m = conv_model();
  m.constant("s", {1}, {1.375F});
  m.node("Mul", {"c", "s"}, {"m"}).node("Add", {"m", "c"}, {"y"}).output("y");
  Graph graph = m.imported();
  EXPECT_EQ(run_equal(graph), PassChanges{});
  EXPECT_EQ(graph.nodes()[0].inputs.size(), 3U);
}

}  // namespace
}  // namespace frit

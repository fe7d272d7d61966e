#include "generators/verify/random_graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

namespace frit::test {
namespace {

std::string shape_of(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes()) {
    text += node.type;
    for (const ValueId output : node.outputs) text += " " + to_text(graph.value(output).type);
    text += '\n';
  }
  return text;
}

TEST(RandomGraph, RepeatsForASeed) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(shape_of(random_graph(seed).graph), shape_of(random_graph(seed).graph));
  }
  EXPECT_NE(shape_of(random_graph(1).graph), shape_of(random_graph(2).graph));
}

TEST(RandomGraph, IsWellFormedAndOfOrderOne) {
  std::map<std::string, int> used;
  std::size_t fan_out = 0, several_outputs = 0, nodes = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RandomGraph random = random_graph(seed);
    random.graph.check();
    ASSERT_GE(random.graph.nodes().size(), 2u) << seed;
    EXPECT_LE(random.graph.nodes().size(), 21u) << seed;
    nodes += random.graph.nodes().size();
    const auto values =
        evaluate_graph(random.graph, random.inputs, RefPrecision::kDoubleBounded, Keep::kAll);
    ASSERT_TRUE(values) << seed << " " << to_text(values.error());
    for (const auto& [id, tensor] : *values) {
      for (const double value : tensor.real) ASSERT_LE(std::fabs(value), 100.0) << seed;
    }
    for (const Node& node : random.graph.nodes()) {
      ++used[node.type];
      for (const ValueId output : node.outputs) fan_out += random.graph.users(output).size() > 1;
    }
    several_outputs += random.graph.outputs.size() > 1;
  }
  EXPECT_GT(fan_out, 100u);
  EXPECT_GT(several_outputs, 100u);
  EXPECT_GT(nodes, 1500u);
  for (const char* type : {"Conv",       "BatchNormalization",
                           "MatMul",     "Gemm",
                           "MaxPool",    "AveragePool",
                           "Softmax",    "LayerNormalization",
                           "ReduceMean", "Transpose",
                           "Reshape",    "Slice",
                           "Concat",     "Pad",
                           "Gather",     "Split",
                           "Expand",     "Where",
                           "Cast",       "Clip",
                           "Pow",        "Erf"}) {
    EXPECT_GE(used[type], 5) << type;
  }
}

TEST(RandomGraph, WithOutputsKeepsOnlyWhatTheyNeed) {
  const RandomGraph random = random_graph(7);
  const auto all = evaluate_graph(random.graph, random.inputs, RefPrecision::kDouble, Keep::kAll);
  ASSERT_TRUE(all);
  for (const ValueId id : computed_values(random.graph)) {
    const Graph cut = with_outputs(random.graph, {id});
    cut.check();
    EXPECT_LE(cut.nodes().size(), random.graph.nodes().size());
    const auto values = evaluate_graph(cut, random.inputs, RefPrecision::kDouble);
    ASSERT_TRUE(values);
    EXPECT_EQ(values->at(id).real, all->at(id).real);
  }
}

}  // namespace
}  // namespace frit::test

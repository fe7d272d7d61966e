#include "generators/verify/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/reference_call.h"

namespace frit::test {
namespace {

using testing::ElementsAre;

// y = relu(x + c), z = y * y; outputs z.
struct SmallGraph {
  Graph graph;
  ValueId x, c, sum, y, z;

  SmallGraph() {
    const TensorType type(DType::kF32, {3});
    x = graph.add_value({"x", type, {}, kNone});
    c = graph.add_value({"c", type, Tensor::f32({3}, {1, 1, -5}), kNone});
    sum = add("Add", "sum", {x, c}, type);
    y = add("Relu", "y", {sum}, type);
    z = add("Mul", "z", {y, y}, type);
    graph.inputs = {x};
    graph.outputs = {z};
  }

  ValueId add(const std::string& type, const std::string& name, std::vector<ValueId> inputs,
              const TensorType& result) {
    const ValueId id = graph.add_value({name, result, {}, kNone});
    Node node;
    node.type = type;
    node.name = "make_" + name;
    node.opset = 17;
    node.inputs = std::move(inputs);
    node.outputs = {id};
    graph.add_node(std::move(node));
    return id;
  }
};

TEST(EvaluateGraph, GivesOutputsOnlyUnlessAskedForAll) {
  const SmallGraph g;
  const RefValues inputs{{g.x, f32({3}, {1, 2, 3})}};
  const auto outputs = evaluate_graph(g.graph, inputs, RefPrecision::kDouble);
  ASSERT_TRUE(outputs) << to_text(outputs.error());
  EXPECT_EQ(outputs->size(), 1u);
  EXPECT_THAT(outputs->at(g.z).real, ElementsAre(4, 9, 0));
  const auto all = evaluate_graph(g.graph, inputs, RefPrecision::kDouble, Keep::kAll);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 4u);  // x, sum, y, z; constants are not values of the run
  EXPECT_THAT(all->at(g.sum).real, ElementsAre(2, 3, -2));
}

TEST(EvaluateGraph, EvaluatesAGroupFromGivenValues) {
  const SmallGraph g;
  const std::vector<NodeId> nodes{g.graph.nodes()[1].id, g.graph.nodes()[2].id};
  const auto values = evaluate_nodes(g.graph, nodes, {{g.sum, f32({3}, {-1, 2, 3})}}, {g.y, g.z},
                                     RefPrecision::kDoubleBounded);
  ASSERT_TRUE(values) << to_text(values.error());
  EXPECT_THAT(values->at(g.y).real, ElementsAre(0, 2, 3));
  EXPECT_THAT(values->at(g.z).real, ElementsAre(0, 4, 9));
}

TEST(EvaluateGraph, NamesAMissingInput) {
  const SmallGraph g;
  const auto values = evaluate_graph(g.graph, {}, RefPrecision::kDouble);
  ASSERT_FALSE(values);
  EXPECT_EQ(to_text(values.error()),
            "error: graph input `x` has no value; give it with --input [verify-no-input]");
}

TEST(EvaluateGraph, ReportsWhereShapeInferenceDisagrees) {
  SmallGraph g;
  g.graph.value(g.y).type = TensorType(DType::kF32, {4});
  const auto values = evaluate_graph(g.graph, {{g.x, f32({3}, {1, 2, 3})}}, RefPrecision::kDouble);
  ASSERT_FALSE(values);
  EXPECT_EQ(to_text(values.error()),
            "error: `y`, made by node `make_y` (Relu): the reference gives f32[3] but shape "
            "inference f32[4]; one of the two is wrong [ref-type]");
}

TEST(EvaluateGraph, PassesAnInputThatIsAnOutput) {
  SmallGraph g;
  g.graph.outputs = {g.x, g.c};
  const auto values = evaluate_graph(g.graph, {{g.x, f32({3}, {1, 2, 3})}}, RefPrecision::kDouble);
  ASSERT_TRUE(values) << to_text(values.error());
  EXPECT_THAT(values->at(g.x).real, ElementsAre(1, 2, 3));
  EXPECT_THAT(values->at(g.c).real, ElementsAre(1, 1, -5));
}

}  // namespace
}  // namespace frit::test

#include <gtest/gtest.h>

#include "tests/support/model_builder.h"

namespace frit {
namespace {

using testing::ModelBuilder;

/// Adds attribute `name` whose graph is x -> y by one node of `type`, with a constant and an outer
/// value beside x where they are named.
void add_modifier(onnx::NodeProto& node, const char* name, const char* type,
                  const std::vector<std::string>& inputs) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  onnx::GraphProto& body = *attribute.mutable_g();
  body.set_name("body");
  body.add_input()->set_name("x");
  body.add_output()->set_name("y");
  onnx::TensorProto& half = *body.add_initializer();
  half.set_name("half");
  half.set_data_type(onnx::TensorProto::FLOAT);
  half.add_float_data(0.5F);
  onnx::NodeProto& inner = *body.add_node();
  inner.set_op_type(type);
  for (const std::string& input : inputs) inner.add_input(input);
  inner.add_output("y");
}

ModelBuilder flex_model() {
  ModelBuilder m(26);
  auto* opset = m.proto().add_opset_import();
  opset->set_domain("ai.onnx.preview");
  opset->set_version(1);
  m.input("q", {1, 2, 3, 4}).input("k", {1, 2, 5, 4}).input("v", {1, 2, 5, 6});
  m.input("outer", {5});
  m.node("FlexAttention", {"q", "k", "v"}, {"r"}, {}, "flex").output("r");
  m.graph().mutable_node(0)->set_domain("ai.onnx.preview");
  return m;
}

TEST(FlexAttention, ModifiersStandBetweenItsHalves) {
  ModelBuilder m = flex_model();
  add_modifier(*m.graph().mutable_node(0), "score_mod", "Add", {"x", "outer"});
  add_modifier(*m.graph().mutable_node(0), "prob_mod", "Mul", {"x", "half"});
  std::vector<std::string> types;
  const Graph graph = m.imported();
  for (const Node& node : graph.nodes()) types.push_back(node.type);
  EXPECT_EQ(types, (std::vector<std::string>{"FlexAttentionScores", "Identity", "Add", "Softmax",
                                             "Identity", "Mul", "FlexAttentionValues"}));
  EXPECT_EQ(to_text(graph.value(graph.outputs.at(0)).type), "f32[1,2,3,6]");
}

TEST(FlexAttention, WithoutModifiersIsOneNode) {
  const Graph graph = flex_model().imported();
  ASSERT_EQ(graph.nodes().size(), 1U);
  EXPECT_EQ(graph.nodes()[0].type, "FlexAttention");
}

TEST(FlexAttention, AModifierTakesOneToOne) {
  ModelBuilder m = flex_model();
  add_modifier(*m.graph().mutable_node(0), "score_mod", "Add", {"x", "half"});
  m.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->add_input()->set_name("second");
  EXPECT_NE(m.refusal().find("its score_mod has 2 inputs and 1 outputs but takes one to one"),
            std::string::npos)
      << m.refusal();
}

}  // namespace
}  // namespace frit

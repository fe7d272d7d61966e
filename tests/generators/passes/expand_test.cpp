// The pass `expand`: nodes take the place of an operator that others define.
#include <gtest/gtest.h>

#include "generators/passes/passes.h"
#include "tests/support/graph_builder.h"

namespace frit {
namespace {

TEST(Expand, TakesThePlaceOfTheNodeAndKeepsItsOutputName) {
  GraphBuilder b(12);
  const ValueId x = b.input("x", {2, 3});
  Node celu;
  celu.type = "Celu";
  celu.name = "c";
  celu.opset = 12;
  celu.inputs = {x};
  celu.origins = {"c"};
  Value y;
  y.name = "y";
  celu.outputs = {b.graph().add_value(y)};
  b.graph().add_node(celu);
  ASSERT_TRUE(infer_types(b.graph()).has_value());
  const ValueId z = b.add("Relu", "z", {*b.graph().value_named("y")});
  b.output(z);
  b.output(*b.graph().value_named("y"));
  const auto changes = expand(b.graph());
  ASSERT_TRUE(changes.has_value());
  EXPECT_EQ(*changes, PassChanges{"'c' (Celu) becomes 3 nodes"});
  b.graph().check();
  std::vector<std::string> types;
  for (const Node& node : b.graph().nodes()) types.push_back(node.type);
  EXPECT_EQ(types, (std::vector<std::string>{"Div", "Elu", "Mul", "Relu"}));
  EXPECT_EQ(b.graph().nodes()[2].outputs, (std::vector{*b.graph().value_named("y")}));
  EXPECT_EQ(b.graph().nodes()[1].origins, std::vector<std::string>{"c"});
}

}  // namespace
}  // namespace frit

#include "generators/onnx/graph_reader.h"

#include <gtest/gtest.h>

#include "tests/support/model_builder.h"

namespace frit {
namespace {

using testing::Ints;
using testing::ModelBuilder;

TEST(GraphReader, KeepsBodiesOfControlFlowAsRegions) {
  ModelBuilder m;
  m.input("cond", {}, onnx::TensorProto::BOOL).input("x", {2});
  m.node("If", {"cond"}, {"y"}, {}, "branch").node("Neg", {"x"}, {"z"}, {}, "neg").output("y");
  ModelBuilder then_body;
  then_body.node("Relu", {"z"}, {"r"}, {}, "inner").output("r");
  ModelBuilder else_body;
  else_body.constant("k", {2}, {1, 2}).node("Add", {"x", "k"}, {"s"}, {}, "inner").output("s");
  for (auto* body : {&then_body, &else_body}) {
    auto* attribute = m.graph().mutable_node(0)->add_attribute();
    attribute->set_name(body == &then_body ? "then_branch" : "else_branch");
    attribute->set_type(onnx::AttributeProto::GRAPH);
    *attribute->mutable_g() = body->graph();
  }
  GraphReaderContext context;
  context.opsets[""] = 13;
  const auto graph = read_graph(m.graph(), context);
  ASSERT_TRUE(graph) << to_text(graph.error()[0]);
  // The body reads z, so its producer goes first.
  EXPECT_EQ(testing::types_of(*graph), "Neg If");
  const std::vector<Region>& regions = graph->nodes()[1].regions;
  ASSERT_EQ(regions.size(), 2U);
  EXPECT_EQ(regions[0].attribute, "then_branch");
  ASSERT_EQ(regions[0].captured.size(), 1U);
  EXPECT_EQ(graph->value(regions[0].captured[0]).name, "z");
  EXPECT_EQ(testing::types_of(*regions[1].body), "Add");
  EXPECT_EQ(graph->value(regions[1].captured[0]).name, "x");
}

TEST(GraphReader, TakesConstantsOfEveryKind) {
  ModelBuilder m;
  m.node("Constant", {}, {"a"}, {{"value_int", 3}});
  m.node("Constant", {}, {"b"}, {{"value_ints", testing::Ints{4, 5}}});
  m.node("Constant", {}, {"c"}, {{"value_float", 0.5F}});
  m.node("Constant", {}, {"d"}, {{"value_floats", testing::Floats{1, 2}}});
  m.node("Constant", {}, {"e"}).node("Constant", {}, {"f"});
  auto* value = m.graph().mutable_node(4)->add_attribute();
  value->set_name("value");
  value->mutable_t()->set_data_type(onnx::TensorProto::INT32);
  value->mutable_t()->add_int32_data(-7);
  auto* sparse = m.graph().mutable_node(5)->add_attribute();
  sparse->set_name("sparse_value");
  sparse->mutable_sparse_tensor()->add_dims(3);
  auto* values = sparse->mutable_sparse_tensor()->mutable_values();
  values->set_data_type(onnx::TensorProto::FLOAT);
  values->add_dims(1);
  values->add_float_data(9);
  auto* indices = sparse->mutable_sparse_tensor()->mutable_indices();
  indices->set_data_type(onnx::TensorProto::INT64);
  indices->add_dims(1);
  indices->add_int64_data(2);
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) m.output(name);
  EXPECT_EQ(to_text(m.imported()),
            "graph main\n"
            "const a i64[] = 3\n"
            "const b i64[2] = [4,5]\n"
            "const c f32[] = 0.5\n"
            "const d f32[2] = [1,2]\n"
            "const e i32[] = -7\n"
            "const f f32[3] = [0,0,9]\n"
            "output a\noutput b\noutput c\noutput d\noutput e\noutput f\n");
}

TEST(GraphReader, RefusesConstantsOfStringsAndOddAttributes) {
  ModelBuilder m;
  m.input("x", {2});
  m.node("Constant", {}, {"a"}, {{"value_string", std::string("text")}}, "c1");
  m.node("Constant", {}, {"b"}, {}, "c2");
  m.node("Concat", {"x"}, {"y"}, {{"axis", std::int64_t{1} << 40}}, "s1");
  m.node("Concat", {"x"}, {"z"}, {{"axis", 0}, {"axis", 0}}, "s2").output("y");
  EXPECT_EQ(
      m.refusal(),
      "error: node 'c1' (Constant) holds strings, which are not supported: frit computes with "
      "numbers; remove the nodes that read it [onnx-attribute]\n"
      "error: node 'c2' (Constant) has one attribute, not 0; keep the one that holds its "
      "value [onnx-attribute]\n"
      "error: node 's1' (Concat): attribute 'axis' holds 1099511627776 but integers from "
      "-2147483648 to 2147483648 are supported; correct it [onnx-attribute]\n"
      "error: node 's2' (Concat): attribute 'axis' is given twice; keep one "
      "[onnx-attribute]\n");
}

// An attribute that is not read would be a wrong result.
TEST(GraphReader, RefusesAttributesThatTheOperatorDoesNotHave) {
  ModelBuilder m;
  m.input("x", {2, 2});
  m.node("Relu", {"x"}, {"a"}, {{"alpha", 0.5F}}, "r");
  m.node("Transpose", {"x"}, {"b"}, {{"perms", Ints{1, 0}}}, "t");
  m.node("Gemm", {"x", "x"}, {"c"}, {{"transB", 1.0F}}, "g");
  m.node("Softmax", {"x"}, {"d"}, {{"axis", Ints{1}}}, "s");
  m.node("Abs", {"x"}, {"e"}, {}, "z");
  auto* graph = m.graph().mutable_node(4)->add_attribute();
  graph->set_name("body");
  graph->set_type(onnx::AttributeProto::GRAPH);
  m.output("a");
  EXPECT_EQ(
      m.refusal(),
      "error: node 'r' (Relu): attribute 'alpha' is none of Relu's (it has none); rename it, or "
      "remove it if it has no effect [onnx-attribute]\n"
      "error: node 't' (Transpose): attribute 'perms' is none of Transpose's (perm); rename it, or "
      "remove "
      "it if it has no effect [onnx-attribute]\n"
      "error: node 'g' (Gemm): attribute 'transB' is a float but Gemm's is an integer; write it as "
      "that [onnx-attribute]\n"
      "error: node 's' (Softmax): attribute 'axis' is a list of integers but Softmax's is an "
      "integer; "
      "write it as that [onnx-attribute]\n"
      "error: node 'z' (Abs): attribute 'body' is a graph, which only control flow holds; remove "
      "it "
      "[onnx-attribute]\n");
}

// ONNX has no default for these: one of frit's own would be a guess.
TEST(GraphReader, RefusesANodeWithoutAnAttributeThatItsOperatorRequires) {
  ModelBuilder m;
  m.input("x", {1, 2, 4, 4});
  m.node("Concat", {"x", "x"}, {"a"}, {}, "cat").node("LRN", {"x"}, {"b"}, {{"alpha", 0.1F}});
  m.node("MaxPool", {"x"}, {"c"}, {{"strides", Ints{2, 2}}}, "pool").output("a");
  EXPECT_EQ(m.refusal(),
            "error: node 'cat' (Concat): Concat of opset 13 needs the attribute 'axis' (an "
            "integer) but the node has none; add it [onnx-attribute]\n"
            "error: unnamed node #1 (LRN): LRN of opset 13 needs the attribute 'size' (an integer) "
            "but the node has none; add it [onnx-attribute]\n"
            "error: node 'pool' (MaxPool): MaxPool of opset 13 needs the attribute 'kernel_shape' "
            "(a list of integers) but the node has none; add it [onnx-attribute]\n");
}

TEST(GraphReader, RequiresAnAttributeOnlyInTheOpsetsWhereItIsNoInput) {
  for (const auto& [opset, refused] : {std::pair(12, true), std::pair(13, false)}) {
    ModelBuilder m(opset);
    m.input("x", {2}).constant("axes", Ints{0});
    m.node("Unsqueeze", {"x", "axes"}, {"y"}, {}, "u").output("y");
    const std::string text = refused ? m.refusal() : to_text(m.imported());
    EXPECT_EQ(text.find("Unsqueeze of opset 12 needs the attribute 'axes'") != std::string::npos,
              refused)
        << text;
  }
}

}  // namespace
}  // namespace frit

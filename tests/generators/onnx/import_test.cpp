#include "generators/onnx/import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "generators/onnx/shape_argument.h"
#include "tests/support/model_builder.h"

namespace frit {
namespace {

using testing::Ints;
using testing::ModelBuilder;

ModelBuilder relu_model() {
  ModelBuilder m;
  m.input("x", {2, 3}).node("Relu", {"x"}, {"y"}, {}, "relu").output("y");
  return m;
}

TEST(Import, KeepsTheGraphAsWritten) {
  ModelBuilder m;
  m.input("x", {1, 2, 4, 4}).constant("w", {2, 2, 1, 1}, {1, 2, 3, 4});
  m.node("Conv", {"x", "w"}, {"c"}, {{"kernel_shape", Ints{1, 1}}}, "conv1");
  m.node("Relu", {"c"}, {"y"}).output("y");
  EXPECT_EQ(to_text(m.imported()),
            "graph main\n"
            "input x f32[1,2,4,4]\n"
            "const w f32[2,2,1,1] = [1,2,3,4]\n"
            "c f32[1,2,4,4] = Conv(x, w) kernel_shape=[1,1] @conv1\n"
            "y f32[1,2,4,4] = Relu(c) @Relu_1\n"
            "output y\n");
}

TEST(Import, KeepsMetadataInOrder) {
  ModelBuilder m = relu_model();
  for (const char* key : {"character", "author"}) {
    auto* entry = m.proto().add_metadata_props();
    entry->set_key(key);
    entry->set_value("v");
  }
  const Graph graph = m.imported();
  ASSERT_EQ(graph.metadata.size(), 2U);
  EXPECT_EQ(graph.metadata[0].first, "character");
  EXPECT_EQ(graph.metadata[1].first, "author");
}

TEST(Import, ListsEveryUnsupportedOperatorAtOnce) {
  ModelBuilder m;
  m.input("x", {-1});
  m.node("FancyOp", {"x"}, {"a"}, {}, "f1").node("FancyOp", {"a"}, {"b"}, {}, "f2");
  m.node("Relu", {"b"}, {"c"}).node("Other", {"c"}, {"d"}).output("d");
  m.graph().mutable_node(3)->set_domain("com.example");
  EXPECT_EQ(
      m.refusal(),
      "error: operator 'FancyOp' (opset 13) is not supported: frit has no such operator (`frit "
      "ops` lists those it has); nodes: 'f1' and 'f2' [onnx-unsupported-op]\n"
      "error: operator 'Other' of domain 'com.example' is not supported: frit has no such "
      "operator (`frit ops` lists those it has); node: #3 (unnamed) [onnx-unsupported-op]\n");
}

TEST(Import, SaysWhichOperatorsHaveExtentsOfData) {
  ModelBuilder m;
  m.input("x", {1, 6, 4}).input("s", {1, 1, 6});
  m.node("NonMaxSuppression", {"x", "s"}, {"y"}, {}, "n1").output("y");
  EXPECT_EQ(
      m.refusal(),
      "error: operator 'NonMaxSuppression' (opset 13) is not supported: the extents of its output "
      "depend on data, and frit's are fixed when building; end the model before it; node: "
      "'n1' [onnx-unsupported-op]\n");
}

TEST(Import, RefusesOperatorsThatItLacksInBodiesOfLoops) {
  ModelBuilder m;
  m.input("x", {2}).node("Loop", {"", "", "x"}, {"y"}, {}, "steps").output("y");
  auto* attribute = m.graph().mutable_node(0)->add_attribute();
  attribute->set_name("body");
  attribute->set_type(onnx::AttributeProto::GRAPH);
  attribute->mutable_g()->add_node()->set_op_type("Inner");
  EXPECT_EQ(m.refusal(),
            "error: operator 'Inner' (opset 13) is not supported: frit has no such operator (`frit "
            "ops` lists those it has); node: #0 (unnamed) [onnx-unsupported-op]\n");
}

TEST(Import, HoldsOutputsToWhatTheyAreDeclared) {
  const auto declared = [](int dtype, const std::vector<std::int64_t>& dims) {
    ModelBuilder m = relu_model();
    auto* type = m.graph().mutable_output(0)->mutable_type()->mutable_tensor_type();
    type->set_elem_type(dtype);
    type->mutable_shape();
    for (const std::int64_t dim : dims) {
      auto* added = type->mutable_shape()->add_dim();
      if (dim >= -1) added->set_dim_value(dim);  // -1: open, as some exporters write it
      if (dim == -2) added->set_dim_param("N");
    }
    return m;
  };
  EXPECT_EQ(declared(onnx::TensorProto::INT64, {2, 3}).refusal(),
            "error: graph output 'y' is declared as INT64 but is f32[2,3]; correct its declaration "
            "or put a Cast before it [onnx-type]\n");
  const auto warned = [&](const std::vector<std::int64_t>& dims) {
    const Graph graph = declared(onnx::TensorProto::FLOAT, dims).imported();
    std::string text;
    for (const Diagnostic& warning : graph.warnings) text += to_text(warning);
    return text;
  };
  EXPECT_EQ(warned({2, 3}) + warned({-1, 3}) + warned({-2, 3}) + warned({-3, -1}), "");
  EXPECT_EQ(warned({2, 4}),
            "warning: graph output 'y' is declared of shape [2,4] but is f32[2,3], as it is built; "
            "correct its declaration [onnx-shape]");
  EXPECT_EQ(warned({-2}),
            "warning: graph output 'y' is declared of shape [N] but is f32[2,3], as it is built; "
            "correct its declaration [onnx-shape]");
  ModelBuilder sequence = relu_model();
  sequence.graph().mutable_output(0)->mutable_type()->mutable_sequence_type();
  EXPECT_EQ(sequence.refusal(),
            "error: graph output 'y' is declared as no tensor but is f32[2,3]; correct its "
            "declaration or export the model again [onnx-type]\n");
}

TEST(Import, RefusesOldAndFutureOpsets) {
  EXPECT_EQ(
      ModelBuilder(6).output("y").refusal(),
      "error: the model's opset 6 is older than 7, the oldest that frit reads; convert it with "
      "onnx.version_converter or export it again [onnx-opset]\n");
  EXPECT_EQ(
      ModelBuilder(99).output("y").refusal(),
      "error: the model's opset 99 is newer than 28, the newest that frit knows; export it with "
      "an older opset [onnx-opset]\n");
  ModelBuilder none;
  none.output("y").proto().clear_opset_import();
  EXPECT_EQ(
      none.refusal(),
      "error: the model names no opset of ONNX's own operators; export it again with an opset "
      "from 7 on [onnx-opset]\n");
}

TEST(Import, ReportsAMissingFileAndOneThatIsNoModel) {
  const auto missing = import_model("/nonexistent/model.onnx", {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(
      to_text(missing.error()[0]),
      "error: there is no file '/nonexistent/model.onnx'; check the path of the model [onnx-read]");
  const auto text = import_model_bytes("this is no model", "note.txt", {});
  ASSERT_FALSE(text);
  EXPECT_EQ(to_text(text.error()[0]),
            "error: 'note.txt' is not an ONNX model: its protobuf is broken or cut short; export "
            "or copy it again [onnx-parse]");
  const auto empty = import_model_bytes("", "empty.onnx", {});
  ASSERT_FALSE(empty);
  EXPECT_EQ(to_text(empty.error()[0]),
            "error: 'empty.onnx' holds no graph with an output; is it an ONNX model? [onnx-parse]");
}

TEST(ImportShapes, ListsAllOpenDimsWithTheOptionToGive) {
  ModelBuilder m;
  m.input("x", {-1, 3, -1}).input("mask", {2, -1}).node("Relu", {"x"}, {"y"}).output("y");
  m.graph()
      .mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_param("batch");
  EXPECT_EQ(
      m.refusal(),
      "error: the model leaves 3 dims open: 'x' axis 0 (batch), 'x' axis 2, 'mask' axis 1; pin "
      "them with --shape x:_x3x_ --shape mask:2x_, a number in place of each _ "
      "[onnx-open-dims]\n");
  ImportOptions options;
  options.shapes = {{"x", {1, 3, 5}}, {"mask", {2, 0}}};
  EXPECT_EQ(to_text(m.imported(options)),
            "graph main\ninput x f32[1,3,5]\ninput mask f32[2,0]\n"
            "y f32[1,3,5] = Relu(x) @Relu_0\noutput y\n");
}

TEST(ImportShapes, TreatsMinusOneAsOpen) {
  ModelBuilder m = relu_model();
  m.graph()
      .mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(-1);
  EXPECT_EQ(
      m.refusal(),
      "error: the model leaves one dim open: 'x' axis 0; pin it with --shape x:_x3, a number in "
      "place of each _ [onnx-open-dims]\n");
}

TEST(ImportShapes, RefusesAnUnknownInputAWrongRankAndAContradiction) {
  ImportOptions options;
  options.shapes = {{"y", {1}}};
  EXPECT_EQ(relu_model().refusal(options),
            "error: --shape names 'y', which is no input of the model; its inputs are 'x' "
            "[onnx-shape-option]\n");
  options.shapes = {{"x", {1, 2, 3}}};
  EXPECT_EQ(relu_model().refusal(options),
            "error: --shape x:1x2x3 has 3 extents but the model's input is f32[2,3], with 2; give "
            "one extent for each axis [onnx-shape-option]\n");
  options.shapes = {{"x", {2, 4}}};
  EXPECT_EQ(relu_model().refusal(options),
            "error: --shape x:2x4 sets axis 1 to 4 but the model fixes it to 3 ('x' is f32[2,3]); "
            "give that extent or export the model with an open axis [onnx-shape-option]\n");
  options.shapes = {{"x", {2, 3}}};
  EXPECT_EQ(relu_model().refusal(options), "");
}

// Found by fuzzing: such an axis was converted to an integer that it does not fit.
TEST(Import, RefusesAxesThatAreNoIntegers) {
  ModelBuilder m(18);
  m.input("x", {2, 3}).constant("axes", {1}, {7.5e28F});
  m.node("ReduceMax", {"x", "axes"}, {"y"}, {}, "r").output("y");
  EXPECT_EQ(m.refusal(),
            "error: ReduceMax 'r': input 1 (axes) is f32[1] but must hold integers; correct "
            "the model [onnx-type]\n");
}

TEST(Import, ConvertsFloatsToTheNearestIntegerThatThereIs) {
  const float huge = 7.5e28F;
  EXPECT_EQ(Tensor::f32({4}, {-1.9F, huge, -huge, std::nanf("")}).to_ints(),
            (Ints{-1, INT64_MAX, INT64_MIN, 0}));
}

// 2^67 elements: in 64 bits the product would be 0.
TEST(ImportShapes, RefusesAShapeWhoseProductOverflows) {
  ModelBuilder m;
  const std::int64_t big = std::int64_t{1} << 31;
  m.input("x", {big, 32, big}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(m.refusal(),
            "error: input 'x' would be f32[2147483648,32,2147483648], which has more than the "
            "68719476736 elements that are supported; pass another --shape or correct the model "
            "[onnx-too-large]\n");
}

TEST(ImportShapes, RefusesAShapeTooLargeToAddress) {
  ModelBuilder m;
  m.input("x", {-1, -1}).node("Relu", {"x"}, {"y"}).output("y");
  ImportOptions options;
  options.shapes = {{"x", {3000000000, 3000000000}}};
  EXPECT_EQ(
      m.refusal(options),
      "error: input 'x' would be f32[3000000000,3000000000], which has the extent "
      "3000000000 but from 0 to 2147483648 are supported; pass another --shape or correct the "
      "model [onnx-too-large]\n");
}

TEST(ImportShapes, ParsesTheOption) {
  const auto shape = parse_shape_argument("input:0:1x3x48x320");
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->first, "input:0");
  EXPECT_EQ(shape->second, (Ints{1, 3, 48, 320}));
  EXPECT_EQ(parse_shape_argument("s:")->second, Ints{});
  for (const char* wrong : {"x", "x:1x", "x:1,2", "x:-1", "x:99999999999999999999", "x:axb"}) {
    EXPECT_FALSE(parse_shape_argument(wrong)) << wrong;
  }
  EXPECT_EQ(to_text(parse_shape_argument("x:1,2").error()),
            "error: --shape 'x:1,2': extents are parted by 'x'; write name:1x3x48x320 "
            "[shape-option]");
}

TEST(ImportConst, PinsAnInputToAValue) {
  ModelBuilder m;
  m.input("x", {2}).input("s", {1}).node("Mul", {"x", "s"}, {"y"}, {}, "m").output("y");
  ImportOptions options;
  options.consts = {{"s", Tensor::f32({1}, {3})}};
  EXPECT_EQ(
      to_text(m.imported(options)),
      "graph main\ninput x f32[2]\nconst s f32[1] = [3]\ny f32[2] = Mul(x, s) @m\noutput y\n");
  options.consts = {{"s", Tensor::i64({1}, {3})}};
  EXPECT_EQ(m.refusal(options),
            "error: --const s is i64[1] but the model's input is f32[1]; convert the file "
            "[onnx-const-option]\n");
}

TEST(ImportInputs, LeavesOutInitializersThatAreListedAmongThem) {
  ModelBuilder m;
  m.input("x", {2}).input("w", {2}).constant("w", {2}, {1, 2});
  m.node("Add", {"x", "w"}, {"y"}, {}, "add").output("y");
  EXPECT_EQ(m.imported().inputs.size(), 1U);
}

TEST(ImportInputs, RefusesWhatIsNoTensorOfNumbers) {
  ModelBuilder m;
  m.input("s", {1}, onnx::TensorProto::STRING).node("Relu", {"q"}, {"y"}).output("y");
  m.graph().add_input()->set_name("q");
  m.graph().mutable_input(1)->mutable_type()->mutable_sequence_type();
  EXPECT_EQ(m.refusal(),
            "error: input 's' has elements of STRING, which frit does not compute with; cast it "
            "before export [onnx-input]\nerror: input 'q' is no tensor; frit compiles models from "
            "tensors to tensors [onnx-input]\n");
}

TEST(ImportTopology, ListsUndefinedAndTwiceDefinedValuesAndOutputs) {
  ModelBuilder m;
  m.input("x", {2}).constant("w", {1}, {1});
  m.node("Relu", {"nowhere"}, {"a"}, {}, "r1").node("Relu", {"x"}, {"b"}, {}, "r2");
  m.node("Relu", {"x"}, {"b"}, {}, "r3").node("Relu", {"x"}, {"w"}, {}, "r4").output("gone");
  const std::string text = m.refusal();
  EXPECT_NE(
      text.find("node 'r1' (Relu) reads 'nowhere', which nothing defines; correct its name or "
                "export the model again [onnx-topology]"),
      std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          "value 'b' is written by node 'r2' (Relu) and by node 'r3' (Relu); rename one of them"),
      std::string::npos);
  EXPECT_NE(
      text.find("value 'w' is a graph input or initializer and is written by node 'r4' (Relu) too; "
                "rename one of them"),
      std::string::npos);
  EXPECT_NE(
      text.find(
          "graph output 'gone' is written by no node; correct its name or export the model again"),
      std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << "each fault once: " << text;
}

TEST(ImportTopology, NamesTheNodesOfACycle) {
  ModelBuilder m;
  m.input("x", {2}).node("Add", {"x", "b"}, {"a"}, {}, "n1").node("Relu", {"a"}, {"b"});
  m.output("b");
  EXPECT_EQ(m.refusal(),
            "error: the graph has a cycle: node 'n1' (Add) and unnamed node #1 (Relu) wait for one "
            "another; cut it, a loop is written with Loop or Scan [onnx-topology]\n");
}

TEST(ImportTopology, SortsNodesThatStandInAnotherOrder) {
  ModelBuilder m;
  m.input("x", {2}).node("Relu", {"a"}, {"b"}, {}, "second").node("Neg", {"x"}, {"a"}, {}, "first");
  m.output("b");
  EXPECT_EQ(testing::types_of(m.imported()), "Neg Relu");
}

TEST(ImportNames, SurviveEmptyEqualLongAndForeignOnes) {
  const std::string longest(100000, 'n');
  const std::string foreign = "变量\n\"ü";
  ModelBuilder m;
  m.input(foreign, {2}).node("Relu", {foreign}, {longest}, {}, "same");
  m.node("Neg", {longest}, {"b c"}, {}, "same").node("Neg", {"b c"}, {"fused"}, {}, longest);
  m.node("Abs", {"fused"}, {"out"}).output("out").output("out");
  const Graph graph = m.imported();
  EXPECT_EQ(graph.nodes()[0].name, "same");
  EXPECT_EQ(graph.nodes()[1].name, "same#2");
  EXPECT_EQ(graph.nodes()[2].name, longest);
  EXPECT_EQ(graph.nodes()[3].name, "Abs_3");
  EXPECT_EQ(graph.outputs.size(), 2U);
  EXPECT_EQ(graph.value(graph.inputs[0]).name, foreign);
  EXPECT_NE(to_text(graph).find("input \"变量\\x0a\\\"ü\" f32[2]\n"), std::string::npos);
}

TEST(ImportOutputs, DropsUnusedOptionalOnesAndRefusesUsedOnes) {
  ModelBuilder m;
  m.input("x", {2, 4}).node("Softplus", {"x"}, {"y", "mask"}, {}, "plus").output("y");
  EXPECT_EQ(m.imported().nodes()[0].outputs.size(), 1U);
  EXPECT_EQ(
      m.output("mask").refusal(),
      "error: node 'plus' (Softplus): the model reads its output 1, 'mask', but frit computes only "
      "the first 1; export the model without it [onnx-unsupported-output]\n");
}

TEST(ImportTypes, ListsEveryFaultOnceAndNotWhatFollowsFromIt) {
  ModelBuilder m;
  m.input("x", {1, 2, 4, 4}).weights("w", {3, 2, 1, 1}).weights("wrong", {3, 5, 1, 1});
  m.node("Conv", {"x", "w"}, {"a"}, {{"auto_pad", std::string("NOWHERE")}}, "c1");
  m.node("Conv", {"x", "wrong"}, {"b"}, {}, "c2").node("Add", {"a", "b"}, {"y"}, {}, "sum");
  m.output("y");
  const std::string text = m.refusal();
  EXPECT_NE(text.find("[onnx-attribute]"), std::string::npos) << text;
  EXPECT_NE(text.find("[onnx-shape]"), std::string::npos) << text;
  EXPECT_NE(text.find("c1"), std::string::npos) << text;
  EXPECT_NE(text.find("c2"), std::string::npos) << text;
  EXPECT_EQ(text.find("sum"), std::string::npos) << text;
}

TEST(ImportShapes, StatesTheMostAxes) {
  ModelBuilder m;
  m.input("x", Ints(17, 1)).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_NE(m.refusal().find("which has 17 axes but at most 16 are supported"), std::string::npos)
      << m.refusal();
}

TEST(ImportTypes, SaysThatANameIsNotTheFiles) {
  ModelBuilder m;
  m.input("x", {2}).input("z", {3}).node("Add", {"x", "z"}, {"y"}).output("y");
  EXPECT_NE(m.refusal().find("note: the file gives this node no name; frit calls node #0 of its "
                             "graph 'Add_0'"),
            std::string::npos)
      << m.refusal();
}

}  // namespace
}  // namespace frit

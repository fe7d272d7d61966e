// The driver, canonicalise, fold_constants, merge_reshape_transpose and strength.
#include "generators/passes/passes.h"

#include <gtest/gtest.h>

#include "generators/verify/evaluate.h"
#include "tests/support/model_builder.h"

namespace frit {
namespace {

using testing::Ints;
using testing::ModelBuilder;

std::string passed(const ModelBuilder& m, const PassOptions& options = {}) {
  Graph graph = m.imported();
  const auto before = testing::outputs_of(graph);
  const auto reports = run_passes(graph, options);
  if (!reports) return to_text(reports.error());
  EXPECT_LT(testing::distance(before, testing::outputs_of(graph)), 1e-6);
  return to_text(graph);
}

TEST(Passes, RefuseUnknownAndRequiredNames) {
  Graph graph = ModelBuilder().input("x", {1}).node("Relu", {"x"}, {"y"}).output("y").imported();
  EXPECT_EQ(to_text(run_passes(graph, {{"foo"}}).error()),
            "error: there is no pass 'foo'; those to turn off are identity, cse, "
            "merge_reshape_transpose, hard_swish, hard_sigmoid, layer_norm, gelu, fold_batch_norm, "
            "fold_scale, fold_scale_ahead, gather_scale, strength, wide_concat [pass-name]");
  EXPECT_EQ(to_text(run_passes(graph, {{"dead_code"}}).error()),
            "error: pass 'dead_code' cannot be turned off: planning needs it; leave it out of "
            "--no-pass [pass-name]");
}

TEST(Passes, TellWhatTheyChanged) {
  ModelBuilder m;
  m.input("x", {2, 3}).constant("two", {}, {2});
  m.node("Pow", {"x", "two"}, {"p"}, {}, "pow")
      .node("Identity", {"p"}, {"y"}, {}, "id")
      .output("y");
  Graph graph = m.imported();
  EXPECT_EQ(to_text(*run_passes(graph)),
            "identity (round 1): 1 change\n"
            "  'id' (Identity) gives back its input and is removed\n"
            "strength (round 1): 1 change\n"
            "  'pow': the square becomes a product\n");
  graph = m.imported();
  EXPECT_EQ(to_text(*run_passes(graph, {{"identity", "strength"}})), "");
  EXPECT_EQ(testing::types_of(graph), "Pow Identity");
}

// One kernel of 2000 parts took minutes to compile, and 1000 parts of four more than the limit.
TEST(WideConcat, BecomesATreeOfTheSameValues) {
  ModelBuilder m;
  std::vector<std::string> parts;
  RefValues values;
  std::vector<double> wanted;
  constexpr int kParts = 70;
  for (int i = 0; i < kParts; ++i) {
    parts.push_back("x" + std::to_string(i));
    m.input(parts.back(), {i % 3});
  }
  m.node("Concat", parts, {"y"}, {{"axis", -1}}, "join").output("y");
  Graph graph = m.imported();
  for (int i = 0; i < kParts; ++i) {
    RefTensor part;
    part.dims = {i % 3};
    for (int k = 0; k < i % 3; ++k) part.real.push_back(10 * i + k);
    wanted.insert(wanted.end(), part.real.begin(), part.real.end());
    values.emplace(graph.inputs[static_cast<std::size_t>(i)], std::move(part));
  }
  const auto reports = run_passes(graph);
  ASSERT_TRUE(reports);
  EXPECT_EQ(to_text(*reports),
            "wide_concat (round 1): 1 change\n"
            "  'join': 70 inputs become 3 Concat nodes of at most 32\n");
  EXPECT_EQ(testing::types_of(graph), "Concat Concat Concat Concat");
  const auto made = evaluate_graph(graph, values, RefPrecision::kDouble);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->at(graph.outputs[0]).real, wanted);
}

// Found by fuzzing: the type of an output that is left out was read.
TEST(Canonicalise, TakesASplitThatLeavesAnOutputOut) {
  ModelBuilder m;
  m.input("x", {2, 6}).node("Split", {"x"}, {"a", "", "c"}, {{"axis", 1}}, "split");
  m.output("a").output("c");
  Graph graph = m.imported();
  ASSERT_TRUE(run_passes(graph));
  EXPECT_EQ(testing::types_of(graph), "Slice Slice");
  EXPECT_EQ(graph.value(graph.outputs[1]).type, TensorType(DType::kF32, {2, 2}));
}

TEST(Canonicalise, MakesSplitSlicesAndPutsConstantsSecond) {
  ModelBuilder m;
  m.input("x", {2, 5}).constant("sizes", Ints{2, 3}).constant("k", {}, {3});
  m.node("Split", {"x", "sizes"}, {"a", "b"}, {{"axis", -1}}, "split");
  m.node("Mul", {"k", "a"}, {"y"}, {}, "mul").output("y").output("b");
  EXPECT_EQ(passed(m),
            "graph main\n"
            "input x f32[2,5]\n"
            "const k f32[] = 3\n"
            "a f32[2,2] = Slice(x) ends=[2,2] starts=[0,0] steps=[1,1] @split/0 from split\n"
            "b f32[2,3] = Slice(x) ends=[2,5] starts=[0,2] steps=[1,1] @split/1 from split\n"
            "y f32[2,2] = Mul(a, k) @mul\n"
            "output y\noutput b\n");
}

TEST(FoldConstants, WorksOutShapeArithmetic) {
  // K9: a shape made of the input's own shape, through Cast, Slice, Concat.
  ModelBuilder m(12);
  m.input("x", {2, 3, 4})
      .constant("zero", Ints{0})
      .constant("one", Ints{1})
      .constant("rest", Ints{-1});
  m.node("Shape", {"x"}, {"s"}, {}, "shape").node("Cast", {"s"}, {"i"}, {{"to", 6}}, "to32");
  m.node("Slice", {"i", "zero", "one"}, {"n"}, {}, "slice");
  m.node("Cast", {"n"}, {"n64"}, {{"to", 7}}, "to64");
  m.node("Concat", {"n64", "rest"}, {"target"}, {{"axis", 0}}, "concat");
  m.node("Reshape", {"x", "target"}, {"y"}, {}, "reshape").output("y");
  EXPECT_EQ(passed(m),
            "graph main\ninput x f32[2,3,4]\n"
            "y f32[2,12] = Reshape(x) shape=[2,12] @reshape\noutput y\n");
}

TEST(FoldConstants, KeepsAReshapeWhoseResultIsAShape) {
  // ORT #32105: a Reshape that makes the shape input of another Reshape.
  ModelBuilder m;
  m.input("x", {2, 6}).constant("dims", {2, 2}, {3, 4, 1, 1}).constant("flat", Ints{4});
  m.graph().mutable_initializer(0)->set_data_type(onnx::TensorProto::INT64);
  m.graph().mutable_initializer(0)->clear_float_data();
  for (const int extent : {3, 4, 1, 1}) m.graph().mutable_initializer(0)->add_int64_data(extent);
  m.node("Reshape", {"dims", "flat"}, {"target"})
      .node("Reshape", {"x", "target"}, {"y"})
      .output("y");
  EXPECT_NE(passed(m).find("y f32[3,4,1,1] = Reshape(x) shape=[3,4,1,1]"), std::string::npos);
}

TEST(FoldConstants, FoldsWeightsAndKeepsTheOutputsName) {
  ModelBuilder m;
  m.constant("a", {2}, {1, 2})
      .constant("b", {2}, {3, 5})
      .node("Add", {"a", "b"}, {"y"})
      .output("y");
  EXPECT_EQ(passed(m), "graph main\nconst y f32[2] = [4,7]\noutput y\n");
}

TEST(FoldConstants, RefusesShapesKnownOnlyWhenRunning) {
  ModelBuilder m;
  m.input("n", {1}, onnx::TensorProto::INT64).node("ConstantOfShape", {"n"}, {"y"}, {}, "zeros");
  m.output("y");
  EXPECT_NE(m.refusal().find("onnx-not-constant"), std::string::npos) << m.refusal();
}

TEST(FoldConstants, RefusesATensorOutOfProportionToTheModel) {
  ModelBuilder m;
  m.constant("n", Ints{30000, 30000}).node("ConstantOfShape", {"n"}, {"c"}, {}, "zeros");
  m.node("Relu", {"c"}, {"y"}).output("y");
  Graph graph = m.imported();
  EXPECT_EQ(to_text(run_passes(graph).error()),
            "error: node 'zeros' (ConstantOfShape) would be a constant f32[30000,30000], more than "
            "is evaluated at build; compute it before export [onnx-too-large]");
}

TEST(MergeReshapeTranspose, ComposesPermutationsInTheRightOrder) {
  ModelBuilder m;
  m.input("x", {2, 3, 4});
  m.node("Transpose", {"x"}, {"a"}, {{"perm", Ints{1, 0, 2}}}, "t1");
  m.node("Transpose", {"a"}, {"y"}, {{"perm", Ints{0, 2, 1}}}, "t2").output("y");
  EXPECT_EQ(passed(m),
            "graph main\ninput x f32[2,3,4]\n"
            "y f32[3,4,2] = Transpose(x) perm=[1,2,0] @t2 from t1, t2\noutput y\n");
}

TEST(MergeReshapeTranspose, DropsPairsThatUndoEachOther) {
  ModelBuilder m;
  m.input("x", {2, 3, 4}).constant("flat", Ints{-1}).constant("back", Ints{2, 3, 4});
  m.node("Relu", {"x"}, {"r"}).node("Transpose", {"r"}, {"a"}, {{"perm", Ints{2, 0, 1}}}, "t1");
  m.node("Transpose", {"a"}, {"b"}, {{"perm", Ints{1, 2, 0}}}, "t2");
  m.node("Reshape", {"b", "flat"}, {"c"}, {}, "r1").node("Reshape", {"c", "back"}, {"d"}, {}, "r2");
  m.node("Neg", {"d"}, {"y"}, {}, "neg").output("y");
  EXPECT_EQ(passed(m),
            "graph main\ninput x f32[2,3,4]\nr f32[2,3,4] = Relu(x) @Relu_0\n"
            "y f32[2,3,4] = Neg(r) @neg\noutput y\n");
}

TEST(MergeReshapeTranspose, KeepsTheFirstWhereOthersReadIt) {
  ModelBuilder m;
  m.input("x", {2, 3}).constant("flat", Ints{6}).constant("other", Ints{3, 2});
  m.node("Reshape", {"x", "flat"}, {"a"}, {}, "r1")
      .node("Reshape", {"a", "other"}, {"y"}, {}, "r2");
  m.output("y").output("a");
  EXPECT_EQ(passed(m),
            "graph main\ninput x f32[2,3]\n"
            "a f32[6] = Reshape(x) shape=[6] @r1\n"
            "y f32[3,2] = Reshape(x) shape=[3,2] @r2 from r1, r2\noutput y\noutput a\n");
}

TEST(MergeReshapeTranspose, MakesATransposeOfUnitAxesAView) {
  ModelBuilder m;
  m.input("x", {2, 1, 4, 1});
  m.node("Transpose", {"x"}, {"y"}, {{"perm", Ints{1, 0, 3, 2}}}, "t1").output("y");
  m.node("Transpose", {"x"}, {"z"}, {{"perm", Ints{2, 0, 3, 1}}}, "t2").output("z");
  EXPECT_EQ(passed(m),
            "graph main\ninput x f32[2,1,4,1]\n"
            "y f32[1,2,1,4] = Reshape(x) shape=[1,2,1,4] @t1\n"
            "z f32[4,2,1,1] = Transpose(x) perm=[2,0,3,1] @t2\noutput y\noutput z\n");
}

TEST(MergeReshapeTranspose, LeavesAReshapeOfATranspose) {
  // tf2onnx #226: one may not pass the other.
  ModelBuilder m;
  m.input("x", {2, 3, 4}).constant("flat", Ints{2, 12});
  m.node("Transpose", {"x"}, {"a"}, {{"perm", Ints{0, 2, 1}}}, "t1");
  m.node("Reshape", {"a", "flat"}, {"y"}, {}, "r1").output("y");
  Graph graph = m.imported();
  ASSERT_TRUE(run_passes(graph));
  EXPECT_EQ(testing::types_of(graph), "Transpose Reshape");
  EXPECT_NE(passed(m), "");
}

TEST(Canonicalise, PositionsOfAResizeBecomeConstantsOnce) {
  ModelBuilder m;
  m.input("x", {1, 2, 4, 5}).constant("scales", {4}, {1, 1, 2, 1.3F});
  m.node("Resize", {"x", "", "scales"}, {"y"}, {{"mode", std::string("linear")}}, "up").output("y");
  Graph graph = m.imported();
  ASSERT_TRUE(canonicalise(graph));
  const Node& up = graph.nodes()[0];
  ASSERT_EQ(up.inputs.size(), 5U);  // x, then index and weight of y and of x
  EXPECT_EQ(graph.value(up.inputs[1]).name, "up/table1");
  EXPECT_EQ(to_text(graph.value(up.inputs[1]).type), "i32[8,2]");
  EXPECT_EQ(to_text(graph.value(up.inputs[4]).type), "f32[6,2]");
  const std::vector<ValueId> inputs = up.inputs;
  EXPECT_EQ(*canonicalise(graph), PassChanges{});
  EXPECT_EQ(graph.nodes()[0].inputs, inputs);
  EXPECT_NE(passed(m), "");
}

TEST(Strength, TakesOnlyExactReciprocals) {
  ModelBuilder m;
  m.input("x", {2})
      .constant("eight", {1}, {8})
      .constant("six", {1}, {6})
      .constant("tiny", {}, {1e-45F});
  m.node("Div", {"x", "eight"}, {"a"}, {}, "d1").node("Div", {"a", "six"}, {"b"}, {}, "d2");
  m.node("Div", {"b", "tiny"}, {"c"}, {}, "d3")
      .node("Div", {"eight", "c"}, {"y"}, {}, "d4")
      .output("y");
  Graph graph = m.imported();
  ASSERT_TRUE(canonicalise(graph));
  EXPECT_EQ(*reduce_strength(graph),
            PassChanges{"'d1': division by 8 becomes a product with 0.125"});
  EXPECT_EQ(testing::types_of(graph), "Mul Div Div Div");
}

}  // namespace
}  // namespace frit

// Rows 4 and 5 of CASES.md: gamma of every shape, and one that enlarges the result.
#include <gtest/gtest.h>

#include "generators/passes/passes.h"
#include "tests/support/model_builder.h"

namespace frit {
namespace {

using testing::Ints;
using testing::ModelBuilder;

struct Form {
  bool square_by_product = false;
  bool reciprocal = false;
  bool epsilon_first = false;
};

// (x - mean) / sqrt(var + eps) of x [2,3,4] into n.
ModelBuilder normalised(const Ints& axes, const Form& form = {}) {
  ModelBuilder m(12);
  m.input("x", {2, 3, 4}).constant("two", {}, {2}).constant("eps", {1}, {1e-5F});
  m.node("ReduceMean", {"x"}, {"mu"}, {{"axes", axes}}, "mean1")
      .node("Sub", {"x", "mu"}, {"d"}, {}, "sub");
  if (form.square_by_product) {
    m.node("Mul", {"d", "d"}, {"sq"}, {}, "square");
  } else {
    m.node("Pow", {"d", "two"}, {"sq"}, {}, "square");
  }
  m.node("ReduceMean", {"sq"}, {"v"}, {{"axes", axes}}, "mean2");
  m.node("Add",
         form.epsilon_first ? std::vector<std::string>{"eps", "v"}
                            : std::vector<std::string>{"v", "eps"},
         {"ve"}, {}, "add");
  m.node("Sqrt", {"ve"}, {"sd"}, {}, "sqrt");
  if (form.reciprocal) {
    m.node("Reciprocal", {"sd"}, {"r"}, {}, "recip").node("Mul", {"r", "d"}, {"n"}, {}, "quotient");
  } else {
    m.node("Div", {"d", "sd"}, {"n"}, {}, "quotient");
  }
  return m;
}

std::string after_passes(const ModelBuilder& m) {
  Graph graph = m.imported();
  const auto before = testing::outputs_of(graph);
  const auto reports = run_passes(graph);
  if (!reports) return to_text(reports.error());
  EXPECT_LT(testing::distance(before, testing::outputs_of(graph)), 1e-6);
  return testing::types_of(graph);
}

TEST(LayerNorm, IsFoundWithItsOrigins) {
  ModelBuilder m = normalised({-1});
  m.constant("g", {4}, {1, 2, 3, 4}).constant("b", {4}, {5, 6, 7, 8});
  m.node("Mul", {"n", "g"}, {"s"}, {}, "mul")
      .node("Add", {"b", "s"}, {"y"}, {}, "beta")
      .output("y");
  EXPECT_EQ(after_passes(m), "LayerNormalization");
  Graph graph = m.imported();
  const auto reports = run_passes(graph, {{"strength"}});
  EXPECT_EQ(
      to_text(graph),
      "graph main\n"
      "input x f32[2,3,4]\n"
      "const beta/gamma f32[4] = [1,2,3,4]\n"
      "const beta/beta f32[4] = [5,6,7,8]\n"
      "y f32[2,3,4] = LayerNormalization(x, beta/gamma, beta/beta) axis=2 epsilon=1e-05 @beta "
      "from mean1, sub, square, mean2, add, sqrt, quotient, mul, beta\n"
      "output y\n");
}

TEST(LayerNorm, IsFoundInEveryForm) {
  for (int i = 0; i < 8; ++i) {
    ModelBuilder m = normalised({1, 2}, {(i & 1) != 0, (i & 2) != 0, (i & 4) != 0});
    m.weights("g", {3, 4}).node("Mul", {"g", "n"}, {"y"}).output("y");
    EXPECT_EQ(after_passes(m), "LayerNormalization") << i;
  }
}

TEST(LayerNorm, TakesGammaOfAnyShapeThatVariesAlongItsAxesOnly) {
  // [3,1] varies along an axis that is not normalised over: its product stays.
  const std::vector<std::pair<Ints, std::string>> last_axis = {
      {{}, "LayerNormalization"},
      {{1}, "LayerNormalization"},
      {{4}, "LayerNormalization"},
      {{1, 1, 4}, "LayerNormalization"},
      {{3, 4}, "LayerNormalization Mul"},
      {{3, 1}, "LayerNormalization Mul"},
      {{5, 1, 1, 1}, "LayerNormalization Mul"},  // enlarges
  };
  for (const auto& [dims, types] : last_axis) {
    ModelBuilder m = normalised({2});
    m.weights("g", dims).node("Mul", {"n", "g"}, {"y"}).output("y");
    EXPECT_EQ(after_passes(m), types) << dims_text(dims);
  }
  for (const Ints& dims : {Ints{}, Ints{1}, Ints{4}, Ints{3, 4}, Ints{3, 1}, Ints{1, 3, 4}}) {
    ModelBuilder m = normalised({1, 2});
    m.weights("g", dims).weights("b", dims).node("Mul", {"n", "g"}, {"s"});
    m.node("Add", {"s", "b"}, {"y"}).output("y");
    EXPECT_EQ(after_passes(m), "LayerNormalization") << dims_text(dims);
  }
}

TEST(LayerNorm, WorksWithoutGammaAndWithOneThatIsNotConstant) {
  ModelBuilder plain = normalised({2});
  plain.output("n");
  EXPECT_EQ(after_passes(plain), "LayerNormalization");
  ModelBuilder beta = normalised({2});
  beta.weights("b", {4}).node("Add", {"n", "b"}, {"y"}).output("y");
  EXPECT_EQ(after_passes(beta), "LayerNormalization");
  ModelBuilder dynamic = normalised({2});
  dynamic.input("g", {4}).weights("b", {4}).node("Mul", {"n", "g"}, {"s"});
  dynamic.node("Add", {"s", "b"}, {"y"}).output("y");
  EXPECT_EQ(after_passes(dynamic), "LayerNormalization Mul Add");
}

TEST(LayerNorm, IsNotFoundOverLeadingAxesOrWherePartsAreReadElsewhere) {
  ModelBuilder leading = normalised({1});
  leading.output("n");
  EXPECT_EQ(after_passes(leading), "ReduceMean Sub Mul ReduceMean Add Sqrt Div");
  for (const char* kept : {"mu", "d", "sq", "v", "ve", "sd"}) {
    ModelBuilder m = normalised({2});
    m.output("n").output(kept);
    EXPECT_EQ(after_passes(m), "ReduceMean Sub Mul ReduceMean Add Sqrt Div") << kept;
  }
  ModelBuilder inverted = normalised({2});  // root / deviation
  inverted.graph().mutable_node(6)->set_input(0, "sd");
  inverted.graph().mutable_node(6)->set_input(1, "d");
  inverted.output("n");
  EXPECT_EQ(after_passes(inverted), "ReduceMean Sub Mul ReduceMean Add Sqrt Div");
}

}  // namespace
}  // namespace frit

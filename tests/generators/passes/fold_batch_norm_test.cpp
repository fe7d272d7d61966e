// K4 (activation between), K5 (bias present or absent), K6 (shared weights), K10 (intermediate is a
// graph output) and the rows of CASES.md on batch normalisation.
#include <gtest/gtest.h>

#include <cmath>

#include "generators/passes/passes.h"
#include "tests/support/model_builder.h"

namespace frit {
namespace {

using testing::Ints;
using testing::ModelBuilder;

// BatchNormalization `name` of x into y with parameters of its own.
void batch_norm(ModelBuilder& m, const std::string& name, const std::string& x,
                const std::string& y, std::int64_t channels, float epsilon = 1e-5F) {
  m.weights(name + ".s", {channels}).weights(name + ".b", {channels});
  m.weights(name + ".m", {channels}).positive(name + ".v", {channels});
  m.node("BatchNormalization", {x, name + ".s", name + ".b", name + ".m", name + ".v"}, {y},
         {{"epsilon", epsilon}}, name);
}

PassChanges folded(Graph& graph) {
  EXPECT_TRUE(canonicalise(graph));
  auto changes = fold_batch_norm(graph);
  EXPECT_TRUE(changes);
  EXPECT_TRUE(remove_dead_code(graph));
  graph.check();
  return std::move(*changes);
}

// Folds and checks that the outputs stay.
PassChanges folded_equal(Graph& graph) {
  const auto before = testing::outputs_of(graph);
  PassChanges changes = folded(graph);
  EXPECT_LT(testing::distance(before, testing::outputs_of(graph)), 1e-6);
  return changes;
}

TEST(FoldBatchNorm, GoesIntoConvOfAnyGroupWithAndWithoutBias) {
  for (const std::int64_t group : {1, 2, 4}) {
    for (const bool bias : {false, true}) {
      ModelBuilder m;
      m.input("x", {1, 4, 5, 5}).weights("w", {8, 4 / group, 3, 3}).weights("b", {8});
      m.node("Conv",
             bias ? std::vector<std::string>{"x", "w", "b"} : std::vector<std::string>{"x", "w"},
             {"c"}, {{"group", group}, {"pads", Ints{1, 1, 1, 1}}}, "conv1");
      batch_norm(m, "bn1", "c", "y", 8);
      m.output("y");
      Graph graph = m.imported();
      EXPECT_EQ(folded_equal(graph), PassChanges{"'bn1' went into 'conv1'"});
      EXPECT_EQ(testing::types_of(graph), "Conv");
      EXPECT_EQ(graph.nodes()[0].origins, (std::vector<std::string>{"conv1", "bn1"}));
      EXPECT_EQ(graph.value(graph.outputs[0]).name, "y");
    }
  }
}

TEST(FoldBatchNorm, ScalesTheBiasToo) {
  // w=2, b=3, x=5; BN(scale .5, shift 1): 7.5, not 9.
  ModelBuilder m;
  m.input("x", {1, 1, 1, 1}).constant("w", {1, 1, 1, 1}, {2}).constant("b", {1}, {3});
  m.constant("s", {1}, {0.5})
      .constant("t", {1}, {1})
      .constant("m", {1}, {0})
      .constant("v", {1}, {1});
  m.node("Conv", {"x", "w", "b"}, {"c"}, {}, "conv1");
  m.node("BatchNormalization", {"c", "s", "t", "m", "v"}, {"y"}, {{"epsilon", 0.0F}}, "bn1");
  m.output("y");
  Graph graph = m.imported();
  folded(graph);
  EXPECT_EQ(to_text(graph),
            "graph main\n"
            "input x f32[1,1,1,1]\n"
            "const conv1/weights f32[1,1,1,1] = [1]\n"
            "const conv1/bias f32[1] = [2.5]\n"
            "y f32[1,1,1,1] = Conv(x, conv1/weights, conv1/bias) dilations=[1,1] group=1 "
            "kernel_shape=[1,1] pads=[0,0,0,0] strides=[1,1] @conv1 from conv1, bn1\n"
            "output y\n");
}

TEST(FoldBatchNorm, StaysBehindAnActivation) {
  ModelBuilder m;
  m.input("x", {1, 2, 4, 4}).weights("w", {3, 2, 3, 3});
  m.node("Conv", {"x", "w"}, {"c"}, {{"pads", Ints{1, 1, 1, 1}}}, "conv1");
  m.node("Relu", {"c"}, {"r"}, {}, "relu1");
  batch_norm(m, "bn1", "r", "y", 3);
  m.output("y");
  Graph graph = m.imported();
  EXPECT_EQ(folded_equal(graph), PassChanges{"'bn1' becomes Mul and Add"});
  EXPECT_EQ(testing::types_of(graph), "Conv Relu Mul Add");
}

TEST(FoldBatchNorm, StaysWhereTheConvIsReadElsewhereOrIsAnOutput) {
  for (const bool is_output : {false, true}) {
    ModelBuilder m;
    m.input("x", {1, 2, 4, 4}).weights("w", {3, 2, 1, 1});
    m.node("Conv", {"x", "w"}, {"c"}, {}, "conv1");
    batch_norm(m, "bn1", "c", "y", 3);
    m.output("y");
    if (is_output) {
      m.output("c");
    } else {
      m.node("Neg", {"c"}, {"z"}).output("z");
    }
    Graph graph = m.imported();
    EXPECT_EQ(folded_equal(graph), PassChanges{"'bn1' becomes Mul and Add"});
  }
}

TEST(FoldBatchNorm, GivesConvsThatShareWeightsTheirOwn) {
  ModelBuilder m;
  m.input("x", {1, 2, 4, 4}).weights("w", {2, 2, 1, 1}).weights("b", {2});
  m.node("Conv", {"x", "w", "b"}, {"c1"}, {}, "conv1");
  m.node("Conv", {"x", "w", "b"}, {"c2"}, {}, "conv2")
      .node("Conv", {"x", "w", "b"}, {"c3"}, {}, "plain");
  batch_norm(m, "bn1", "c1", "y1", 2);
  batch_norm(m, "bn2", "c2", "y2", 2);
  m.output("y1").output("y2").output("c3");
  Graph graph = m.imported();
  EXPECT_EQ(folded_equal(graph),
            (PassChanges{"'bn1' went into 'conv1'", "'bn2' went into 'conv2'"}));
}

TEST(FoldBatchNorm, FoldsAModuleThatIsUsedTwiceOnceEach) {
  ModelBuilder m;
  m.input("x", {1, 2, 4, 4}).weights("w", {2, 2, 1, 1});
  m.weights("s", {2}).weights("t", {2}).weights("m", {2}).positive("v", {2});
  m.node("Conv", {"x", "w"}, {"c1"}, {}, "conv1");
  m.node("BatchNormalization", {"c1", "s", "t", "m", "v"}, {"y1"}, {}, "bn1");
  m.node("Conv", {"y1", "w"}, {"c2"}, {}, "conv2");
  m.node("BatchNormalization", {"c2", "s", "t", "m", "v"}, {"y2"}, {}, "bn2").output("y2");
  Graph graph = m.imported();
  EXPECT_EQ(folded_equal(graph).size(), 2U);
  EXPECT_EQ(testing::types_of(graph), "Conv Conv");
}

TEST(FoldBatchNorm, TakesEpsilonAndTinyVariancesInDouble) {
  ModelBuilder m;
  m.input("x", {1, 1, 2, 2}).constant("w", {2, 1, 1, 1}, {1, 1});
  m.constant("s", {2}, {1, 1}).constant("t", {2}, {0, 0}).constant("m", {2}, {0.25, 0});
  m.constant("v", {2}, {1e-12F, 3e-3F});
  m.node("Conv", {"x", "w"}, {"c"}, {}, "conv1");
  m.node("BatchNormalization", {"c", "s", "t", "m", "v"}, {"y"}, {{"epsilon", 1e-3F}}, "bn1");
  m.output("y");
  Graph graph = m.imported();
  folded_equal(graph);
  const auto weights = graph.value(graph.nodes()[0].inputs[1]).constant->to_doubles();
  EXPECT_EQ(weights[0], static_cast<float>(1 / std::sqrt(1e-12F + double{1e-3F})));
}

TEST(FoldBatchNorm, RoundsBfloat16WeightsOnce) {
  ModelBuilder m(15);
  m.input("x", {1, 1, 1, 1}, onnx::TensorProto::BFLOAT16);
  m.constant("s", {1}, {1.01F}).constant("t", {1}, {0.3F}).constant("m", {1}, {0.7F});
  m.constant("v", {1}, {0.9F});
  auto* w = m.graph().add_initializer();
  w->set_name("w");
  w->set_data_type(onnx::TensorProto::BFLOAT16);
  for (int i = 0; i < 4; ++i) w->add_dims(1);
  w->add_int32_data(0x3F9D);  // 1.2265625
  m.node("Conv", {"x", "w"}, {"c"}, {}, "conv1");
  m.node("BatchNormalization", {"c", "s", "t", "m", "v"}, {"y"}, {}, "bn1").output("y");
  Graph graph = m.imported();
  folded(graph);
  ASSERT_EQ(testing::types_of(graph), "Conv");
  const double exact = 1.2265625 * 1.01F / std::sqrt(0.9F + double{1e-5F});
  const double folded_weight = graph.value(graph.nodes()[0].inputs[1]).constant->to_doubles()[0];
  EXPECT_LE(std::abs(folded_weight - exact), exact / 512);  // half an ulp of 8 bits
}

TEST(FoldBatchNorm, StaysWhereParametersAreNotConstantOrNotFinite) {
  ModelBuilder m;
  m.input("x", {1, 2, 2, 2}).input("s", {2}).weights("w", {2, 2, 1, 1});
  m.weights("t", {2}).weights("m", {2}).positive("v", {2}).constant("negative", {2}, {-1, 1});
  m.node("Conv", {"x", "w"}, {"c1"}, {}, "conv1").node("Conv", {"x", "w"}, {"c2"}, {}, "conv2");
  m.node("BatchNormalization", {"c1", "s", "t", "m", "v"}, {"y1"}, {}, "bn1");
  m.node("BatchNormalization", {"c2", "t", "t", "m", "negative"}, {"y2"}, {}, "bn2");
  m.output("y1").output("y2");
  Graph graph = m.imported();
  EXPECT_EQ(folded_equal(graph), PassChanges{});
}

TEST(FoldBatchNorm, GoesIntoGemmWithEveryShapeOfC) {
  for (const Ints& c : {Ints{}, Ints{1}, Ints{3}, Ints{1, 3}, Ints{2, 1}, Ints{2, 3}}) {
    for (const int transposed : {0, 1}) {
      ModelBuilder m;
      m.input("x", {2, 4}).weights("w", transposed ? Ints{3, 4} : Ints{4, 3}).weights("c", c);
      m.node("Gemm", {"x", "w", "c"}, {"g"},
             {{"transB", transposed}, {"alpha", 0.5F}, {"beta", 2.0F}}, "gemm1");
      batch_norm(m, "bn1", "g", "y", 3);
      m.output("y");
      Graph graph = m.imported();
      EXPECT_EQ(folded_equal(graph), PassChanges{"'bn1' went into 'gemm1'"});
      EXPECT_EQ(testing::types_of(graph), "Gemm");
    }
  }
}

TEST(FoldBatchNorm, GoesIntoMatMulOfMatricesOnly) {
  ModelBuilder m;
  m.input("x", {2, 4}).weights("w", {4, 3}).node("MatMul", {"x", "w"}, {"p"}, {}, "mm");
  batch_norm(m, "bn1", "p", "y", 3);
  m.output("y");
  Graph graph = m.imported();
  EXPECT_EQ(folded_equal(graph), PassChanges{"'bn1' went into 'mm'"});
  EXPECT_EQ(testing::types_of(graph), "MatMul Add");

  for (const Ints& dims : {Ints{2, 3, 4}, Ints{1, 3, 5, 4}}) {  // channels are not the columns
    ModelBuilder deep;
    deep.input("x", dims).weights("w", {4, 3}).node("MatMul", {"x", "w"}, {"p"}, {}, "mm");
    batch_norm(deep, "bn1", "p", "y", 3);
    deep.output("y");
    graph = deep.imported();
    EXPECT_EQ(folded_equal(graph), PassChanges{"'bn1' becomes Mul and Add"});
  }
}

}  // namespace
}  // namespace frit

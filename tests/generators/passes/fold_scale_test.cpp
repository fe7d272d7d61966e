#include <gtest/gtest.h>

#include "generators/passes/passes.h"
#include "tests/support/model_builder.h"

namespace frit {
namespace {

using testing::Ints;
using testing::ModelBuilder;

PassChanges run_equal(Graph& graph, Result<PassChanges> (*pass)(Graph&)) {
  EXPECT_TRUE(canonicalise(graph));
  const auto before = testing::outputs_of(graph);
  auto changes = pass(graph);
  EXPECT_TRUE(changes);
  EXPECT_TRUE(remove_dead_code(graph));
  graph.check();
  EXPECT_LT(testing::distance(before, testing::outputs_of(graph)), 1e-6);
  return std::move(*changes);
}

ModelBuilder conv_model(int group = 1) {
  ModelBuilder m;
  m.input("x", {1, 4, 5, 5}).weights("w", {4, 4 / group, 3, 3}).weights("b", {4});
  m.node("Conv", {"x", "w", "b"}, {"c"}, {{"group", group}, {"pads", Ints{1, 1, 1, 1}}}, "conv1");
  return m;
}

TEST(FoldScale, TakesAChainInOneRounding) {
  for (const int group : {1, 2, 4}) {
    ModelBuilder m = conv_model(group);
    m.constant("s", {1}, {1.375F}).weights("t", {1, 4, 1, 1}).weights("u", {4, 1, 1});
    m.constant("v", {}, {3.0F});
    m.node("Mul", {"s", "c"}, {"m"}, {}, "mul1").node("Add", {"m", "t"}, {"a"}, {}, "add1");
    m.node("Sub", {"u", "a"}, {"d"}, {}, "sub1")
        .node("Div", {"d", "v"}, {"y"}, {}, "div1")
        .output("y");
    Graph graph = m.imported();
    EXPECT_EQ(run_equal(graph, fold_scale),
              PassChanges{"'mul1', 'add1', 'sub1' and 'div1' went into 'conv1'"});
    EXPECT_EQ(testing::types_of(graph), "Conv");
    EXPECT_EQ(graph.nodes()[0].origins,
              (std::vector<std::string>{"conv1", "mul1", "add1", "sub1", "div1"}));
  }
}

// A bias of the whole picture (ORT #12498), one along x, one along n, one that enlarges.
TEST(FoldScale, LeavesConstantsThatAreNotPerChannel) {
  for (const Ints& dims : {Ints{1, 4, 5, 5}, Ints{5}, Ints{2, 1, 1, 1}, Ints{2, 1, 4, 1, 1}}) {
    for (const int group : {1, 4}) {
      ModelBuilder m = conv_model(group);
      m.weights("t", dims).node("Add", {"c", "t"}, {"y"}, {}, "add1").output("y");
      Graph graph = m.imported();
      EXPECT_EQ(run_equal(graph, fold_scale), PassChanges{});
    }
  }
}

TEST(FoldScale, LeavesWhatHasAnotherReaderOrIsAnOutput) {
  ModelBuilder m = conv_model();
  m.constant("s", {1}, {2}).node("Mul", {"c", "s"}, {"m"}, {}, "mul1");
  m.node("Add", {"m", "s"}, {"y"}, {}, "add1").output("y").output("m");
  Graph graph = m.imported();
  EXPECT_EQ(run_equal(graph, fold_scale), PassChanges{"'mul1' went into 'conv1'"});
  ModelBuilder square = conv_model();
  square.node("Mul", {"c", "c"}, {"y"}, {}, "mul1").output("y");
  graph = square.imported();
  EXPECT_EQ(run_equal(graph, fold_scale), PassChanges{});
}

TEST(FoldScale, LeavesWeightsThatWouldOverflowOrVanish) {
  for (const float scale : {3e38F, 1e-45F}) {
    ModelBuilder m = conv_model();
    m.constant("s", {1}, {scale}).node("Mul", {"c", "s"}, {"y"}, {}, "mul1").output("y");
    m.graph().mutable_initializer(0)->set_float_data(0, scale > 1 ? 1000.0F : 1e-3F);
    Graph graph = m.imported();
    EXPECT_TRUE(canonicalise(graph));
    EXPECT_EQ(*fold_scale(graph), PassChanges{});
  }
}

ModelBuilder ahead_model(int group, int pad) {
  ModelBuilder m;
  m.input("x", {1, 4, 5, 5}).weights("s", {4, 1, 1}).constant("t", {}, {0.75F});
  m.weights("w", {8, 4 / group, 3, 3}).weights("b", {8});
  m.node("Mul", {"x", "s"}, {"m"}, {}, "mul1").node("Add", {"m", "t"}, {"a"}, {}, "add1");
  m.node("Conv", {"a", "w", "b"}, {"y"}, {{"group", group}, {"pads", Ints(4, pad)}}, "conv1");
  m.output("y");
  return m;
}

TEST(FoldScaleAhead, GoesIntoConvOfAnyGroupWithoutPadding) {
  for (const int group : {1, 2, 4}) {
    Graph graph = ahead_model(group, 0).imported();
    EXPECT_EQ(run_equal(graph, fold_scale_ahead),
              PassChanges{"'mul1' and 'add1' went into 'conv1'"});
    EXPECT_EQ(testing::types_of(graph), "Conv");
  }
}

TEST(FoldScaleAhead, LeavesAShiftBeforePadding) {
  Graph graph = ahead_model(1, 1).imported();
  EXPECT_EQ(run_equal(graph, fold_scale_ahead), PassChanges{});
}

TEST(FoldScaleAhead, TakesAScaleAloneBeforePadding) {
  ModelBuilder m;
  m.input("x", {1, 4, 5, 5}).weights("s", {4, 1, 1}).weights("w", {2, 4, 3, 3});
  m.node("Mul", {"x", "s"}, {"m"}, {}, "mul1");
  m.node("Conv", {"m", "w"}, {"y"}, {{"pads", Ints{1, 1, 1, 1}}}, "conv1").output("y");
  Graph graph = m.imported();
  EXPECT_EQ(run_equal(graph, fold_scale_ahead), PassChanges{"'mul1' went into 'conv1'"});
}

TEST(FoldScaleAhead, LeavesWhatHasAnotherReaderOrIsAnOutput) {
  ModelBuilder m = ahead_model(1, 0);
  m.node("Neg", {"a"}, {"z"}).output("z");
  Graph graph = m.imported();
  EXPECT_EQ(run_equal(graph, fold_scale_ahead), PassChanges{});
  ModelBuilder output = ahead_model(1, 0);
  output.output("a");
  graph = output.imported();
  EXPECT_EQ(run_equal(graph, fold_scale_ahead), PassChanges{});
}

}  // namespace
}  // namespace frit

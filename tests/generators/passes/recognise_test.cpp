// hard_swish, hard_sigmoid and gelu in the forms that exporters write.
#include <gtest/gtest.h>

#include <cmath>

#include "generators/passes/passes.h"
#include "tests/support/model_builder.h"

namespace frit {
namespace {

using testing::ModelBuilder;

constexpr double kSpread = 5.0;  // across the bends at -3 and 3

std::string after_passes(const ModelBuilder& m) {
  Graph graph = m.imported();
  const auto before = testing::outputs_of(graph, kSpread);
  const auto reports = run_passes(graph);
  if (!reports) return to_text(reports.error());
  EXPECT_LT(testing::distance(before, testing::outputs_of(graph, kSpread)), 1e-6);
  return testing::types_of(graph);
}

ModelBuilder base() {
  ModelBuilder m;
  m.input("x", {1, 3, 40}).constant("three", {1}, {3}).constant("six", {1}, {6});
  m.constant("zero", {}, {0}).constant("high", {}, {6}).constant("half", {}, {0.5F});
  m.constant("sixth", {}, {1.0F / 6})
      .constant("one", {}, {1})
      .constant("root2", {}, {std::sqrt(2.0F)});
  m.constant("root_half", {}, {std::sqrt(0.5F)}).constant("seven", {}, {7});
  return m;
}

ModelBuilder with_clip() {
  ModelBuilder m = base();
  m.node("Add", {"x", "three"}, {"a"}, {}, "add")
      .node("Clip", {"a", "zero", "high"}, {"c"}, {}, "clip");
  return m;
}

TEST(HardSwish, IsFoundInEveryOrderOfTheProducts) {
  const std::vector<std::vector<std::vector<std::string>>> forms = {
      {{"Mul", "x", "c", "m"}, {"Div", "m", "six", "y"}},
      {{"Mul", "c", "x", "m"}, {"Mul", "sixth", "m", "y"}},
      {{"Div", "c", "six", "m"}, {"Mul", "x", "m", "y"}},
      {{"Mul", "c", "sixth", "m"}, {"Mul", "m", "x", "y"}},
      {{"Div", "x", "six", "m"}, {"Mul", "m", "c", "y"}},
      {{"Mul", "x", "sixth", "m"}, {"Mul", "c", "m", "y"}},
  };
  for (const auto& form : forms) {
    ModelBuilder m = with_clip();
    for (const auto& node : form) m.node(node[0], {node[1], node[2]}, {node[3]});
    m.output("y");
    EXPECT_EQ(after_passes(m), "HardSwish") << form[0][0] << " " << form[0][1];
  }
}

TEST(HardSwish, IsFoundFromHardSigmoidAndKeepsOrigins) {
  ModelBuilder m = base();
  m.node("HardSigmoid", {"x"}, {"h"}, {{"alpha", 1.0F / 6}, {"beta", 0.5F}}, "hs");
  m.node("Mul", {"x", "h"}, {"y"}, {}, "mul").output("y");
  Graph graph = m.imported();
  ASSERT_TRUE(run_passes(graph));
  EXPECT_EQ(to_text(graph),
            "graph main\ninput x f32[1,3,40]\ny f32[1,3,40] = HardSwish(x) @mul from hs, mul\n"
            "output y\n");
}

TEST(HardSwish, IsNotFoundWhereANumberOrASourceDiffers) {
  ModelBuilder other_factor = with_clip();
  other_factor.node("Mul", {"x", "c"}, {"m"}).node("Div", {"m", "seven"}, {"y"}).output("y");
  EXPECT_EQ(after_passes(other_factor), "Add Clip Mul Div");
  ModelBuilder other_source = with_clip();
  other_source.input("z", {1, 3, 40})
      .node("Mul", {"z", "c"}, {"m"})
      .node("Div", {"m", "six"}, {"y"});
  other_source.output("y");
  EXPECT_EQ(after_passes(other_source), "Add Clip Mul Div");
  ModelBuilder square = with_clip();  // clip * clip / 6
  square.node("Mul", {"c", "c"}, {"m"}).node("Div", {"m", "six"}, {"y"}).output("y");
  EXPECT_EQ(after_passes(square), "Add Clip Mul Div");
}

TEST(HardSwish, IsNotFoundWhereAnIntermediateIsReadElsewhere) {
  for (const char* kept : {"a", "c", "m"}) {
    ModelBuilder m = with_clip();
    m.node("Mul", {"x", "c"}, {"m"}).node("Div", {"m", "six"}, {"y"}).output("y").output(kept);
    EXPECT_EQ(after_passes(m), "Add Clip Mul Div") << kept;
  }
}

TEST(HardSigmoid, IsFoundFromReluSixAndFromALine) {
  ModelBuilder relu6 = with_clip();
  relu6.node("Div", {"c", "six"}, {"y"}, {}, "div").output("y");
  Graph graph = relu6.imported();
  ASSERT_TRUE(run_passes(graph));
  EXPECT_EQ(to_text(graph),
            "graph main\ninput x f32[1,3,40]\n"
            "y f32[1,3,40] = HardSigmoid(x) alpha=0.16666667 beta=0.5 @div from add, clip, div\n"
            "output y\n");
  EXPECT_EQ(after_passes(relu6), "HardSigmoid");
  ModelBuilder line = base();
  line.node("Mul", {"x", "sixth"}, {"m"}).node("Add", {"m", "half"}, {"a"});
  line.node("Clip", {"a", "zero", "one"}, {"y"}).output("y");
  EXPECT_EQ(after_passes(line), "HardSigmoid");
}

TEST(HardSigmoid, LeavesClipsOfOtherRanges) {
  ModelBuilder alone = base();
  alone.node("Clip", {"x", "zero", "one"}, {"y"}).output("y");
  EXPECT_EQ(after_passes(alone), "Clip");
  ModelBuilder six = with_clip();
  six.output("c");
  EXPECT_EQ(after_passes(six), "Add Clip");
  ModelBuilder low = base();
  low.node("Add", {"x", "half"}, {"a"}).node("Clip", {"a", "half", "one"}, {"y"}).output("y");
  EXPECT_EQ(after_passes(low), "Add Clip");
}

TEST(Gelu, IsFoundInEveryOrderOfTheProducts) {
  const std::vector<std::vector<std::vector<std::string>>> forms = {
      {{"Mul", "x", "s", "m"}, {"Mul", "m", "half", "y"}},
      {{"Mul", "s", "half", "m"}, {"Mul", "m", "x", "y"}},
      {{"Mul", "half", "x", "m"}, {"Mul", "m", "s", "y"}},
  };
  for (const char* scale : {"Div", "Mul"}) {
    for (const auto& form : forms) {
      ModelBuilder m = base();
      const bool division = std::string(scale) == "Div";
      m.node(scale, {"x", division ? "root2" : "root_half"}, {"d"}).node("Erf", {"d"}, {"e"});
      m.node("Add", {"e", "one"}, {"s"});
      for (const auto& node : form) m.node(node[0], {node[1], node[2]}, {node[3]});
      m.output("y");
      EXPECT_EQ(after_passes(m), "Gelu") << scale << " " << form[0][1];
    }
  }
}

TEST(Gelu, IsNotFoundWhereANumberDiffersOrAPartIsAnOutput) {
  ModelBuilder m = base();
  m.node("Div", {"x", "six"}, {"d"}).node("Erf", {"d"}, {"e"}).node("Add", {"e", "one"}, {"s"});
  m.node("Mul", {"x", "s"}, {"p"}).node("Mul", {"p", "half"}, {"y"}).output("y");
  EXPECT_EQ(after_passes(m), "Div Erf Add Mul Mul");
  ModelBuilder output = base();
  output.node("Div", {"x", "root2"}, {"d"})
      .node("Erf", {"d"}, {"e"})
      .node("Add", {"e", "one"}, {"s"});
  output.node("Mul", {"x", "s"}, {"p"}).node("Mul", {"p", "half"}, {"y"}).output("y").output("e");
  EXPECT_EQ(after_passes(output), "Div Erf Add Mul Mul");
}

}  // namespace
}  // namespace frit

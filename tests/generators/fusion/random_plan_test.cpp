// Plans of random graphs: whatever the graph, the options and the outputs, check_plan holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "generators/fusion/check_plan.h"
#include "generators/fusion/plan_text.h"
#include "generators/graph/graph.h"
#include "generators/passes/passes.h"
#include "generators/verify/random_graph.h"
#include "tests/generators/fusion/plan_testing.h"

namespace frit {
namespace {

/// Plans as make_plan does; the plan must be sound and its text must read back to it.
void expect_sound(Graph graph, const PlanOptions& options, const std::string& what) {
  insert_layouts(graph);
  graph.check();
  const auto plan = make_plan(graph, options);
  ASSERT_TRUE(plan) << what << to_text(plan.error()) << "\n" << to_text(graph);
  const Status sound = check_plan(graph, *plan);
  ASSERT_TRUE(sound) << what << sound.error().message << "\n" << to_text(*plan, graph);
  const std::string text = to_text(*plan, graph);
  const auto again = parse_plan(text, what, graph, options);
  ASSERT_TRUE(again) << to_text(again.error()[0]) << "\n" << text;
  EXPECT_EQ(to_text(*again, graph), text);
  EXPECT_TRUE(compare_plan(text, what, graph, *again).empty());
  for (const EdgeVerdict& edge : plan->edges) {
    EXPECT_FALSE(edge.code.empty());
    EXPECT_FALSE(edge.sentence.empty());
  }
}

/// The graph as the planner gets it.
Graph prepared(std::uint64_t seed) {
  Graph graph = random_graph(seed).graph;
  EXPECT_TRUE(infer_types(graph)) << "seed " << seed;
  const auto passes = run_passes(graph);
  EXPECT_TRUE(passes) << "seed " << seed << " " << (passes ? "" : to_text(passes.error()));
  return graph;
}

TEST(RandomPlans, AreSoundAtEveryLevel) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Graph graph = prepared(seed);
    for (const FusionLevel level :
         {FusionLevel::kNone, FusionLevel::kElementwise, FusionLevel::kGreedy}) {
      PlanOptions options;
      options.level = level;
      expect_sound(graph, options, "seed " + std::to_string(seed) + " ");
    }
  }
}

TEST(RandomPlans, AreSoundWithEachValueAnOutputInTurn) {  // K10
  for (std::uint64_t seed = 100; seed < 112; ++seed) {
    const Graph graph = prepared(seed);
    for (const ValueId value : computed_values(graph)) {
      Graph one = graph;
      if (!one.is_output(value)) one.outputs.push_back(value);
      expect_sound(one, {}, "seed " + std::to_string(seed) + " " + graph.value(value).name + " ");
    }
  }
}

TEST(RandomPlans, AreSoundWhateverIsForbiddenOrFenced) {
  for (std::uint64_t seed = 200; seed < 230; ++seed) {
    const Graph graph = prepared(seed);
    if (graph.nodes().size() < 2) continue;
    std::mt19937 random(static_cast<unsigned>(seed));
    const std::size_t count = graph.nodes().size();
    const auto name = [&](std::size_t i) { return graph.nodes()[i % count].name; };
    const std::size_t i = random() % count, j = i + 1 + random() % (count - 1);
    PlanOptions options;
    options.forbid = {{name(i), name(j)}, {name(j), name(j + 1)}};
    if (seed % 3 == 0) options.fences = {name(random() % count)};
    expect_sound(graph, options, "seed " + std::to_string(seed) + " ");
  }
}

/// A random DAG of pointwise nodes, products and reshapes with many uses: the hardest for K13.
GraphBuilder random_dag(unsigned seed) {
  std::mt19937 random(seed);
  GraphBuilder b;
  std::vector<ValueId> values = {b.input("x", {8, 8}), b.input("y", {8, 8})};
  const auto any = [&] {
    return values[values.size() - 1 - random() % std::min<std::size_t>(values.size(), 5)];
  };
  const int count = 4 + static_cast<int>(random() % 16);
  for (int i = 0; i < count; ++i) {
    const std::string name = "n" + std::to_string(i);
    switch (random() % 5) {
      case 0:
        values.push_back(b.add("MatMul", name, {any(), any()}));
        break;
      case 1:
        values.push_back(b.add("Add", name, {any(), any()}));
        break;
      case 2:
        values.push_back(b.add("Mul", name, {any(), any()}));
        break;
      case 3:
        values.push_back(
            b.add("Transpose", name, {any()}, {{"perm", std::vector<std::int64_t>{1, 0}}}));
        break;
      default:
        values.push_back(b.add("Exp", name, {any()}));
        break;
    }
  }
  b.output(values.back());
  if (seed % 2 == 0) b.output(any());
  return b;
}

TEST(RandomPlans, HaveNoCyclesOnTangledGraphs) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    expect_sound(random_dag(seed).graph(), {}, "seed " + std::to_string(seed) + " ");
  }
}

}  // namespace
}  // namespace frit

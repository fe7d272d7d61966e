// The recogniser and the classifier, from file to canonical graph: every pass at work on real
// models.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "generators/onnx/import.h"
#include "generators/passes/passes.h"
#include "ops/operator.h"
#include "tests/support/model_builder.h"

namespace frit {
namespace {

constexpr const char* kRecogniser = "ch_PP-OCRv4_rec_infer.onnx";
constexpr const char* kClassifier = "ch_ppocr_mobile_v2.0_cls_infer.onnx";

Graph imported(const std::string& file, const std::vector<std::int64_t>& x) {
  const auto path = std::filesystem::path(FRIT_SOURCE_DIR) / "build/models" / file;
  ImportOptions options;
  options.shapes["x"] = x;
  auto graph = import_model(path, options);
  if (!graph) throw std::runtime_error(to_text(graph.error().front()));
  return std::move(*graph);
}

std::map<std::string, int> counts_of(const Graph& graph) {
  std::map<std::string, int> counts;
  for (const Node& node : graph.nodes()) ++counts[node.type];
  return counts;
}

void expect_canonical(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    const Operator* op = find_operator(node.domain, node.type);
    ASSERT_NE(op, nullptr) << node.type;
    EXPECT_NE(op->kind(graph.instance(node)), OpKind::kShape) << node.name;
    for (const ValueId output : node.outputs) {
      for (const Extent& extent : graph.value(output).type.shape) EXPECT_TRUE(extent.is_constant());
    }
  }
}

PassOptions fast() {
  PassOptions options;
  options.fast = true;
  return options;
}

// Passes keep the outputs; a narrow picture takes the same way through every node.
void expect_equal_outputs(const std::string& file, const std::vector<std::int64_t>& x) {
  const Graph graph = imported(file, x);
  const auto before = testing::outputs_of(graph);
  for (const bool fast : {false, true}) {
    Graph rewritten = graph;
    PassOptions options;
    options.fast = fast;
    ASSERT_TRUE(run_passes(rewritten, options));
    EXPECT_LT(testing::distance(before, testing::outputs_of(rewritten)), 1e-5) << file << fast;
  }
}

TEST(Models, RecogniserBecomesSmallAndCanonical) {
  Graph graph = imported(kRecogniser, {1, 3, 48, 320});
  EXPECT_EQ(graph.nodes().size(), 440U);
  ASSERT_EQ(graph.metadata.size(), 1U);
  EXPECT_EQ(graph.metadata[0].first, "character");
  Graph precise = graph;
  const auto reports = run_passes(graph, fast());
  ASSERT_TRUE(reports) << to_text(reports.error());
  expect_canonical(graph);
  std::map<std::string, int> expected = {{"Add", 29},
                                         {"AveragePool", 1},
                                         {"Concat", 1},
                                         {"Conv", 38},
                                         {"GlobalAveragePool", 2},
                                         {"HardSigmoid", 2},
                                         {"HardSwish", 28},
                                         {"LayerNormalization", 5},
                                         {"MatMul", 13},
                                         {"Mul", 27},
                                         {"Relu", 2},
                                         {"Reshape", 13},
                                         {"Sigmoid", 7},
                                         {"Slice", 6},
                                         {"Softmax", 3},
                                         {"Transpose", 9}};
  EXPECT_EQ(graph.nodes().size(), 186U);
  EXPECT_EQ(counts_of(graph), expected);
  // Without rounding the weights again: one Mul and one Add after each convolution instead.
  ASSERT_TRUE(run_passes(precise));
  expect_canonical(precise);
  expected["Add"] = 75;
  expected["Mul"] = 73;
  EXPECT_EQ(counts_of(precise), expected);
  EXPECT_EQ(to_text(graph.value(graph.outputs.at(0)).type), "f32[1,40,6625]");
  EXPECT_EQ(graph.value(graph.outputs.at(0)).name, "softmax_11.tmp_0");
}

TEST(Models, ClassifierBecomesSmallAndCanonical) {
  Graph graph = imported(kClassifier, {1, 3, 48, 192});
  EXPECT_EQ(graph.nodes().size(), 258U);
  Graph precise = graph;
  const auto reports = run_passes(graph, fast());
  ASSERT_TRUE(reports) << to_text(reports.error());
  expect_canonical(graph);
  std::map<std::string, int> expected = {
      {"Add", 8},         {"Conv", 53},      {"GlobalAveragePool", 10},
      {"HardSigmoid", 9}, {"HardSwish", 18}, {"MatMul", 1},
      {"MaxPool", 1},     {"Mul", 9},        {"Relu", 15},
      {"Reshape", 1},     {"Softmax", 1}};
  EXPECT_EQ(graph.nodes().size(), 126U);
  EXPECT_EQ(counts_of(graph), expected);
  ASSERT_TRUE(run_passes(precise));
  expected["Add"] = 43;
  expected["Mul"] = 44;
  EXPECT_EQ(counts_of(precise), expected);
  // The last Identity is gone, its name is the output's.
  EXPECT_EQ(graph.value(graph.outputs.at(0)).name, "save_infer_model/scale_0.tmp_1");
}

TEST(Models, KeepTheirOutputs) {
  expect_equal_outputs(kRecogniser, {1, 3, 48, 32});
  expect_equal_outputs(kClassifier, {1, 3, 48, 64});
}

TEST(Models, AnswerTheSameWithAnyPassTurnedOff) {
  const Graph original = imported(kRecogniser, {1, 3, 48, 16});
  const auto before = testing::outputs_of(original);
  for (const Pass& pass : all_passes()) {
    if (pass.required) continue;
    Graph graph = original;
    PassOptions options;
    options.fast = pass.fast;
    options.off.insert(std::string(pass.name));
    const auto reports = run_passes(graph, options);
    ASSERT_TRUE(reports) << pass.name;
    for (const PassReport& report : *reports) EXPECT_NE(report.pass, pass.name);
    EXPECT_LT(testing::distance(before, testing::outputs_of(graph)), 1e-5) << pass.name;
  }
}

TEST(Models, NameAllOpenDimsWithoutAShape) {
  const auto path = std::filesystem::path(FRIT_SOURCE_DIR) / "build/models" / kRecogniser;
  const auto graph = import_model(path, {});
  ASSERT_FALSE(graph);
  EXPECT_EQ(
      to_text(graph.error().at(0)),
      "error: the model leaves 3 dims open: 'x' axis 0 (p2o.DynamicDimension.0), 'x' axis 2 (?), "
      "'x' axis 3 (p2o.DynamicDimension.1); pin them with --shape x:_x3x_x_, a number in place "
      "of each _ [onnx-open-dims]");
}

}  // namespace
}  // namespace frit

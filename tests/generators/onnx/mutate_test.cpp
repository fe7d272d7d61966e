// A thousand mutated models through import and passes: no crash, no hang, memory bounded.
//
// Half of the mutations are of bytes (flips, cuts, spliced pieces), half of fields (removed,
// repeated, swapped, set to extremes or to other names of the file), which reach deeper. All are
// seeded: a failure names its seed. Meant for the sanitizers (tests/run.sh does it so):
//
//   cmake -S . -B build/asan -G Ninja -DFRIT_SANITIZE=ON && ninja -C build/asan frit_hostile_test
//   export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 ASAN_OPTIONS=detect_leaks=0
//   build/asan/tests/frit_hostile_test
//
// FRIT_MUTATIONS=100000 in front of it looks further.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "generators/passes/passes.h"
#include "tests/support/model_builder.h"
#include "tests/support/sample_models.h"
#include "tests/support/wire_mutator.h"

namespace frit {
namespace {

using testing::ModelBuilder;
using Random = std::mt19937;

std::size_t below(Random& random, std::size_t end) { return random() % end; }

std::string mutant(const std::vector<ModelBuilder>& models, unsigned seed) {
  Random random(seed);
  ModelBuilder model = models[below(random, models.size())];
  if (seed % 2 == 0) return testing::mutate_bytes(model.bytes(), random);
  return testing::mutate_fields(model.bytes(), {}, random);
}

std::int64_t peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

// FRIT_MUTATIONS asks for more than the thousand of every run.
unsigned mutation_count() {
  const char* asked = std::getenv("FRIT_MUTATIONS");
  return asked == nullptr ? 1000U : static_cast<unsigned>(std::strtoul(asked, nullptr, 10));
}

TEST(MutatedModels, NeverCrashHangOrTakeMemoryOutOfProportion) {
  const std::vector<ModelBuilder> models = testing::sample_models();
  for (const ModelBuilder& model : models) EXPECT_EQ(model.refusal(), "");
  const std::int64_t megabytes_before = peak_megabytes();
  int imported = 0;
  int passed = 0;
  const unsigned count = mutation_count();
  for (unsigned seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto start = std::chrono::steady_clock::now();
    auto graph = import_model_bytes(mutant(models, seed), "mutant.onnx", {});
    if (graph) {
      ++imported;
      ASSERT_NO_THROW(passed += run_passes(*graph) ? 1 : 0);
    } else {
      ASSERT_FALSE(graph.error().empty());
      for (const Diagnostic& fault : graph.error()) EXPECT_FALSE(to_text(fault).empty());
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  }
  EXPECT_LT(peak_megabytes() - megabytes_before, 1024);
  // The mutations must get past the parser often enough to test what is behind it.
  EXPECT_GT(imported, 150);
  EXPECT_GT(passed, 100);
}

TEST(LargeModels, TakeNoMoreThanSecondsForTenThousandNodes) {
  ModelBuilder m;
  m.input("x", {1, 4}).constant("k", {4}, {1, 2, 3, 4}).weights("w", {4, 4});
  std::string last = "x";
  static constexpr const char* kTypes[] = {"Identity", "Relu", "Mul", "Neg", "MatMul"};
  for (int i = 0; i < 10000; ++i) {
    const std::string type = kTypes[i % 5];
    const std::string next = "v" + std::to_string(i);
    std::vector<std::string> inputs = {last};
    if (type == "Mul") inputs.push_back("k");
    if (type == "MatMul") inputs.push_back("w");
    m.node(type, inputs, {next}, {}, "same name");
    m.node("Abs", {next}, {"dead" + next}, {}, "same name");
    last = next;
  }
  m.output(last);
  const auto start = std::chrono::steady_clock::now();
  Graph graph = m.imported();
  ASSERT_TRUE(run_passes(graph));
  EXPECT_EQ(graph.nodes().size(), 8000U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(LargeModels, RefuseGraphsNestedTooDeep) {
  ModelBuilder m;
  m.input("x", {2}).output("y");
  onnx::GraphProto* graph = &m.graph();
  for (int i = 0; i < 60; ++i) {
    onnx::NodeProto* node = graph->add_node();
    node->set_op_type("If");
    onnx::AttributeProto* attribute = node->add_attribute();
    attribute->set_name("then_branch");
    attribute->set_type(onnx::AttributeProto::GRAPH);
    graph = attribute->mutable_g();
  }
  EXPECT_EQ(m.refusal(),
            "error: 'test.onnx' is not an ONNX model: its protobuf is broken or cut short; export "
            "or copy it again [onnx-parse]\n");
}

TEST(LargeModels, RefuseSumsOfMoreInputsThanAnyExporterWrites) {
  ModelBuilder m;
  m.input("x", {2}).node("Sum", std::vector<std::string>(2000, "x"), {"y"}, {}, "sum").output("y");
  EXPECT_EQ(
      m.refusal(),
      "error: Sum 'sum' has 2000 inputs but frit takes at most 1024; split it in several "
      "[onnx-too-large]\n");
}

}  // namespace
}  // namespace frit

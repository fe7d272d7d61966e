// Random graphs: the whole way to kernels, against the reference of the graph as it was drawn.
//
// FRIT_SEED=N with --gtest_filter=RandomFusedOne.* runs that seed and prints its graph, plan and
// verdicts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "generators/emit/emit.h"
#include "generators/emit/target.h"
#include "generators/fusion/planner.h"
#include "generators/onnx/resolve.h"
#include "generators/package/loaded_package.h"
#include "generators/passes/passes.h"
#include "generators/verify/random_graph.h"
#include "generators/verify/verify_model.h"

namespace frit::test {
namespace {

struct Built {
  Graph graph;
  Plan plan;
  CompiledModel model;
};

Result<Built> build(const Graph& drawn, FusionLevel level) {
  Built built{drawn, {}, {}};
  const Diagnostics untyped = resolve_types(built.graph);
  if (!untyped.empty()) return fail(untyped.front());
  for (ValueId id = 0; id < drawn.value_count();
       ++id) {  // the reference's types against the rules'
    const Value& value = built.graph.value(id);
    if (value.type == drawn.value(id).type) continue;
    return fail("type", fmt::format("{} is {}, the reference has {}", value.name,
                                    to_text(value.type), to_text(drawn.value(id).type)));
  }
  const auto passes = run_passes(built.graph);
  if (!passes) return fail(passes.error());
  insert_layouts(built.graph);
  PlanOptions plan_options;
  plan_options.level = level;
  auto plan = make_plan(built.graph, plan_options);
  if (!plan) return fail(plan.error());
  built.plan = std::move(*plan);
  const auto target = parse_target("host", false);
  if (!target) return fail(target.error());
  EmitOptions emit;
  emit.target = *target;
  emit.cache_folder = std::string(FRIT_BINARY_DIR) + "/test-cache";
  auto model = emit_model(built.graph, built.plan, emit);
  if (!model) return fail(model.error().front());
  built.model = std::move(*model);
  return built;
}

// The model as a package: one arena, the plan in C.
Result<LoadedPackage> package_of(const Built& built, const std::string& folder) {
  PackageOptions options;
  options.name = "random";
  options.out_dir = folder;
  const auto target = parse_target("host", false);
  if (!target) return fail(target.error());
  options.target = *target;
  const auto object = write_shared_object(built.graph, built.plan, built.model, options);
  if (!object) return fail(object.error());
  return LoadedPackage::load(*object, built.graph, 1);
}

struct Check {
  bool print = false;
  bool package = true;  ///< the whole as a package too; a third of a second each
  int nodes_high = 12;
};

// What is wrong with this graph's kernels, or its package: "" for nothing.
std::string fault_of(const Graph& drawn, const RefValues& inputs, const Check& check) {
  const auto built = build(drawn, FusionLevel::kGreedy);
  if (!built) return "build: " + to_text(built.error());
  if (check.print) {
    fmt::print("{}\n{}\n", to_text(built->graph), to_text(built->plan, built->graph));
  }
  VerifyOptions options;
  options.groups = true;
  options.whole_by_bounds = true;
  for (const ValueId id : drawn.inputs) {
    options.inputs[drawn.value(id).name] = inputs.at(id).to_tensor();
  }
  std::optional<LoadedPackage> package;
  if (check.package) {
    const std::string folder = fmt::format("{}{}-{}", testing::TempDir(), getpid(), drawn.name);
    auto loaded = package_of(*built, folder);
    std::filesystem::remove_all(folder);
    if (!loaded) return "package: " + to_text(loaded.error());
    package = std::move(*loaded);
    options.run_whole = [&](const std::vector<Tensor>& values) { return package->run(values); };
  }
  std::string fault;
  // first the data that the graph was drawn with, then NaN, Inf and -0 among random numbers
  for (const bool special : {false, true}) {
    if (special) options.inputs.clear();
    options.kinds = {special ? DataKind::kSpecial : DataKind::kRandom};
    const auto verdict = verify_model(drawn, built->graph, built->plan, built->model, options);
    if (!verdict) return "run: " + to_text(verdict.error());
    if (check.print) fmt::print("{}\n", to_text(*verdict, true));
    if (!verdict->passed()) fault += to_text(*verdict, false);
  }
  return fault;
}

// The graph as drawn, and once more with every value that was inside as an output.
void check_seed(std::uint64_t seed, Check check) {
  RandomGraphOptions options;
  options.nodes_high = check.nodes_high;
  const RandomGraph random = random_graph(seed, options);
  if (check.print) fmt::print("{}\n", to_text(random.graph));
  EXPECT_EQ(fault_of(random.graph, random.inputs, check), "") << "FRIT_SEED=" << seed;
  std::vector<ValueId> inside;
  for (const ValueId id : computed_values(random.graph)) {
    if (!random.graph.is_output(id)) inside.push_back(id);
  }
  if (inside.empty()) return;
  const Graph other = with_outputs(random.graph, inside);
  check.package = check.package && check.print;
  EXPECT_EQ(fault_of(other, random.inputs, check), "")
      << "FRIT_SEED=" << seed << ", inner values as outputs";
}

constexpr std::uint64_t kSeeds = 300;
constexpr std::uint64_t kSeedsInATest = 10;

// Ten seeds a test, so that shards share the work.
class RandomFused : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomFused, AgreesWithTheReference) {
  for (std::uint64_t seed = GetParam(); seed < GetParam() + kSeedsInATest; ++seed) {
    check_seed(seed, {.package = seed % 6 == 0, .nodes_high = 9});
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomFused,
                         testing::Range(std::uint64_t{0}, kSeeds, kSeedsInATest));

// Larger graphs, each as a package.
class RandomFusedSlow : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomFusedSlow, AgreesWithTheReference) {
  for (std::uint64_t seed = GetParam(); seed < GetParam() + kSeedsInATest; ++seed) {
    check_seed(seed, {.nodes_high = 16});
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomFusedSlow,
                         testing::Range(kSeeds, std::uint64_t{3000}, kSeedsInATest));

// Halide 21 throws for a predicated load whose index is a negative constant.
TEST(RandomFusedCase, AGroupWithoutVectorCodeGetsPlainLoops) {
  check_seed(979, {.nodes_high = 16});
}

// LLVM took (2^(n/2) 2^(n/2)) s, of an exp that a small s scales, for 2^(n/2) (2^(n/2) s).
TEST(RandomFusedCase, InfinityOfAnExpIsNotScaledAway) { check_seed(2939, {.nodes_high = 16}); }

// LLVM took x (1 / x) for 1.
TEST(RandomFusedCase, ZeroTimesItsReciprocalIsNan) { check_seed(1747, {.nodes_high = 16}); }

TEST(RandomFusedOne, RunsTheSeedOfTheEnvironment) {
  const char* text = std::getenv("FRIT_SEED");
  if (text == nullptr) GTEST_SKIP() << "set FRIT_SEED=N to run one seed and print it";
  const std::uint64_t seed = std::strtoull(text, nullptr, 10);
  check_seed(seed, {.print = true, .nodes_high = seed < kSeeds ? 9 : 16});
}

}  // namespace
}  // namespace frit::test

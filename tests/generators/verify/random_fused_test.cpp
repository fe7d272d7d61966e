// Random graphs: the whole way to kernels, against the reference of the graph as it was drawn.
//
// FRIT_SEED=N runs that seed alone and prints its graph, plan and verdicts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "generators/emit/emit.h"
#include "generators/emit/target.h"
#include "generators/fusion/planner.h"
#include "generators/passes/passes.h"
#include "generators/verify/random_graph.h"
#include "generators/verify/verify_model.h"

namespace frit::test {
namespace {

std::string first_text(const Diagnostics& diagnostics) {
  return diagnostics.empty() ? "no diagnostic" : to_text(diagnostics.front());
}

struct Built {
  Graph graph;
  Plan plan;
  CompiledModel model;
};

Result<Built> build(const Graph& drawn, FusionLevel level) {
  Built built{drawn, {}, {}};
  FRIT_TRY(infer_types(built.graph));
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

std::string run_seed(std::uint64_t seed, FusionLevel level, bool print) {
  const RandomGraph random = random_graph(seed);
  if (print) fmt::print("{}\n", to_text(random.graph));
  const auto built = build(random.graph, level);
  if (!built) return "build: " + to_text(built.error());
  if (print) fmt::print("{}\n{}\n", to_text(built->graph), to_text(built->plan, built->graph));
  VerifyOptions options;
  options.groups = true;
  for (const ValueId id : random.graph.inputs) {
    options.inputs[random.graph.value(id).name] = random.inputs.at(id).to_tensor();
  }
  const auto verdict = verify_model(random.graph, built->graph, built->plan, built->model, options);
  if (!verdict) return "run: " + to_text(verdict.error());
  if (print) fmt::print("{}\n", to_text(*verdict, true));
  return verdict->passed() ? "" : to_text(*verdict, false);
}

TEST(RandomFused, AgreesWithTheReference) {
  const char* seed = std::getenv("FRIT_SEED");
  const char* count = std::getenv("FRIT_SEEDS");
  const std::uint64_t first = seed ? std::strtoull(seed, nullptr, 10) : 0;
  const std::uint64_t last = seed ? first + 1 : count ? std::strtoull(count, nullptr, 10) : 10;
  for (std::uint64_t s = first; s < last; ++s) {
    EXPECT_EQ(run_seed(s, FusionLevel::kGreedy, seed != nullptr), "") << "seed " << s;
  }
}

}  // namespace
}  // namespace frit::test

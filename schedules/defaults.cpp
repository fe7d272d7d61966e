#include "schedules/defaults.h"

#include <algorithm>
#include <numeric>

#include "ops/whole.h"
#include "schedules/default_outputs.h"
#include "schedules/halide_errors.h"
#include "schedules/loop_nest.h"
#include "schedules/placement.h"
#include "schedules/schedule.h"

namespace frit {
namespace {

using Halide::Internal::ForType;

// Repeated work above which a pure stage gets storage: op_cost times evaluations per element.
constexpr double kInlineLimit = 24.0;
constexpr int kFreeCost = 1;  // copies and index maps are never worth storage

double elements_of(const Stage& stage) {
  return std::accumulate(stage.extents.begin(), stage.extents.end(), 1.0,
                         [](double all, std::int64_t e) { return all * static_cast<double>(e); });
}

// Trip count of a definition's reduction loops.
double reduction_trips(const StageState& state, int definition) {
  double trips = 1.0;
  for (const auto& variable : halide_stage(state, definition).get_schedule().rvars()) {
    const auto* extent = variable.extent.as<Halide::Internal::IntImm>();
    trips *= extent != nullptr ? static_cast<double>(extent->value) : 1.0;
  }
  return trips;
}

// How often each element of `stage` would be evaluated if it were inlined.
double evaluations_if_inlined(const StageState& stage, const std::vector<Use>& uses) {
  double evaluations = 0.0;
  for (const Use& use : uses) {
    evaluations += elements_of(*use.consumer->stage) * static_cast<double>(use.reads) *
                   reduction_trips(*use.consumer, use.definition);
  }
  return evaluations / std::max(1.0, elements_of(*stage.stage));
}

bool worth_inlining(const StageState& stage, const std::vector<Use>& uses) {
  if (stage.stage->func.has_update_definition()) return false;
  // whose loops the text lays out has loops: LogSoftmax reads its exp once, Softmax twice
  if (halide_stage(stage, kPureDefinition).get_schedule().touched()) return false;
  if (stage.stage->op_cost <= kFreeCost) return true;
  const double times = evaluations_if_inlined(stage, uses);
  return times <= 1.01 || times * stage.stage->op_cost <= kInlineLimit;
}

bool is_packed(ForType type) {
  return type == ForType::Vectorized || type == ForType::Unrolled || type == ForType::GPULane;
}

// The innermost loop that moves what is read of the stage, outside of vectorised and unrolled
// loops and of reductions. Null: the root.
const Site* best_site(const LoopNest& nest, const StageState& stage,
                      const std::vector<Site>& legal) {
  const Site* best = nullptr;
  for (const Site& site : legal) {
    if (is_packed(site.loop.type) || site.loop.is_reduction) break;
    if (nest.moves_with(stage, site)) best = &site;
  }
  return best;
}

// Halide warns on stderr of updates without a schedule beside definitions that have one.
void mark_unscheduled(const StageState& stage) {
  for (const int definition : definitions_of(stage)) {
    Halide::Stage made = halide_stage(stage, definition);
    if (definition != kPureDefinition && !made.get_schedule().touched()) made.unscheduled();
  }
}

bool placements_hold(const LoopNest& nest, PipelineState& pipeline) {
  const auto stages = pipeline.stages();
  return std::all_of(stages.begin(), stages.end(),
                     [&](const StageState* stage) { return nest.is_legal(*stage); });
}

enum class Where : std::uint8_t {
  kNear,   ///< at the innermost loop that moves what is read
  kRoot,   ///< whole, before everything that reads it
  kPlain,  ///< as kNear, and no loop is vectorised
};

// Its operator has fixed it at the root: it is computed entire, whatever its readers ask for.
void place_whole(LoopNest& nest, StageState& stage, Where where, const Halide::Target& target) {
  compute_at_root(stage);
  nest.forget();
  if (where != Where::kPlain) schedule_root(stage, target);
}

void place(PipelineState& pipeline, LoopNest& nest, StageState& stage, Where where,
           const Halide::Target& target) {
  if (is_whole(*stage.stage)) return place_whole(nest, stage, where, target);
  const std::vector<Use> uses = nest.uses(stage);
  if (uses.empty()) return;
  const auto settle = [&](auto&& how) {
    how();
    nest.forget();
    return placements_hold(nest, pipeline);
  };
  const bool pure = !stage.stage->func.has_update_definition();
  if (worth_inlining(stage, uses)) {
    settle([&] { compute_inlined(stage); });
    return;
  }
  const std::vector<Site> legal = nest.legal_sites(stage);
  const Site* site = nullptr;
  if (where != Where::kRoot) {
    site = target.has_gpu_feature() ? gpu_site(nest, stage, legal) : best_site(nest, stage, legal);
  }
  const bool held = settle([&] {
    if (site != nullptr) {
      compute_at_site(stage, *site);
    } else {
      compute_at_root(stage);
    }
  });
  if (!held && pure) {  // a producer that the text placed needs this stage out of the way
    settle([&] { compute_inlined(stage); });
    return;
  }
  if (where == Where::kPlain) return;
  if (site == nullptr) {
    schedule_root(stage, target);
  } else if (!target.has_gpu_feature()) {
    vectorize_innermost(stage, target);
  }
}

Status place_all(PipelineState& pipeline, Where where, const Halide::Target& target) {
  return guard_halide({}, [&] {
    LoopNest nest(pipeline);
    std::vector<StageState*> stages = pipeline.stages();
    std::reverse(stages.begin(), stages.end());
    for (StageState* stage : stages) {
      if (stage->is_output || stage->computed_with) continue;
      if (stage->compute.kind != Placement::Kind::kUnplaced) continue;
      place(pipeline, nest, *stage, where, target);
    }
    for (const StageState* stage : stages) mark_unscheduled(*stage);
  });
}

Status apply_default(PipelineView& view, const Facts& facts, Where where,
                     const Halide::Target& target) {
  PipelineState pipeline(view);
  const Status outputs = guard_halide({}, [&] {
    bound_outputs(pipeline);
    const auto threads = facts.find("threads");
    for (StageState* stage : pipeline.stages()) {
      if (!stage->is_output) continue;
      if (where != Where::kPlain) schedule_root(*stage, target);
      if (threads != facts.end() && threads->second > 1) parallelize_outermost(*stage, target);
    }
  });
  if (!outputs) return outputs;
  return place_all(pipeline, where, target);
}

}  // namespace

Status place_remaining(PipelineState& pipeline, const Halide::Target& target) {
  return place_all(pipeline, Where::kNear, target);
}

Status apply_default_schedule(PipelineView& view, const Facts& facts,
                              const Halide::Target& target) {
  return apply_default(view, facts, Where::kNear, target);
}

Status apply_plain_schedule(PipelineView& view, const Facts& facts, const Halide::Target& target) {
  return apply_default(view, facts, Where::kPlain, target);
}

Status apply_root_schedule(PipelineView& view, const Facts& facts, const Halide::Target& target) {
  return apply_default(view, facts, Where::kRoot, target);
}

}  // namespace frit

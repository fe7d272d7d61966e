#include "schedules/defaults.h"

#include <algorithm>
#include <limits>

#include "schedules/halide_errors.h"
#include "schedules/loop_nest.h"
#include "schedules/placement.h"
#include "schedules/schedule.h"

namespace frit {
namespace {

using Halide::Internal::ForType;

// Repeated work above which a pure stage gets storage: op_cost × reads. A GELU (about 20) read once
// is inlined unless the read stands inside a reduction.
constexpr int kInlineLimit = 24;

bool is_packed(ForType type) {
  return type == ForType::Vectorized || type == ForType::Unrolled || type == ForType::GPULane;
}

bool inside_reduction(const Use& use) {
  if (use.definition == kPureDefinition) return false;
  const auto loops = loops_of(*use.consumer, use.definition);
  return std::any_of(loops.begin(), loops.end(), [](const Loop& l) { return l.is_reduction; });
}

bool worth_inlining(const StageState& stage, const std::vector<Use>& uses) {
  if (stage.stage->func.has_update_definition()) return false;
  if (stage.stage->op_cost <= 2) return true;
  int reads = 0;
  bool reduced = false;
  for (const Use& use : uses) {
    reads += use.reads;
    reduced = reduced || inside_reduction(use);
  }
  if (reads <= 1 && !reduced) return true;
  return reads * stage.stage->op_cost * (reduced ? 8 : 1) <= kInlineLimit;
}

// Innermost legal loop outside of every vectorised or unrolled loop and, for what a reduction
// reads, outside of its reduction loops.
const Site* best_site(const std::vector<Site>& legal) {
  const Site* best = nullptr;
  for (const Site& site : legal) {
    if (is_packed(site.loop.type) || site.loop.is_reduction) break;
    best = &site;
  }
  return best;
}

// Vectorises every definition of a computed stage along its innermost storage dimension.
// GuardWithIf neither reads nor writes beyond what is asked for, whatever the extent.
void vectorize_innermost(StageState& state, const Halide::Target& target) {
  const Stage& stage = *state.stage;
  if (stage.order.empty() || target.has_gpu_feature()) return;
  const auto axis = static_cast<std::size_t>(stage.order.front());
  const int lanes = target.natural_vector_size(stage.func.types().front());
  if (stage.extents[axis] < lanes || lanes < 2) return;
  const std::string name = stage.axes[axis].name();
  for (const int definition : definitions_of(state)) {
    const auto loops = loops_of(state, definition);
    const auto loop = find_loop(state, definition, name);
    const bool untouched = std::all_of(loops.begin(), loops.end(),
                                       [](const Loop& l) { return l.type == ForType::Serial; });
    if (!loop || !untouched) continue;
    // The vector inside its block, the blocks where the loop stood.
    const Halide::Var inner(name + "_vector");
    halide_stage(state, definition)
        .split(loop->var(), loop->var(), inner, lanes, Halide::TailStrategy::GuardWithIf);
    std::vector<Halide::VarOrRVar> order = {inner};
    for (const Loop& other : loops_of(state, definition)) {
      if (other.name != "outermost" && other.name != inner.name()) order.push_back(other.var());
    }
    halide_stage(state, definition).reorder(order).vectorize(inner);
  }
}

void place(PipelineState& pipeline, StageState& stage, const Halide::Target& target) {
  const LoopNest nest(pipeline);
  const std::vector<Use> uses = nest.uses(stage);
  if (uses.empty()) return;
  if (worth_inlining(stage, uses)) return compute_inlined(stage);
  const std::vector<Site> legal = nest.legal_sites(stage);
  if (const Site* site = best_site(legal)) {
    compute_at_site(stage, *site);
  } else {
    compute_at_root(stage);
  }
  vectorize_innermost(stage, target);
}

}  // namespace

Status place_remaining(PipelineState& pipeline, const Halide::Target& target) {
  return guard_halide({}, [&] {
    std::vector<StageState*> stages = pipeline.stages();
    std::reverse(stages.begin(), stages.end());
    for (StageState* stage : stages) {
      if (stage->is_output || stage->computed_with) continue;
      if (stage->compute.kind == Placement::Kind::kUnplaced) place(pipeline, *stage, target);
    }
  });
}

Status apply_default_schedule(PipelineView& view, const Facts&, const Halide::Target& target) {
  PipelineState pipeline(view);
  bound_outputs(pipeline);
  const Status outputs = guard_halide({}, [&] {
    for (StageState* stage : pipeline.stages()) {
      if (stage->is_output) vectorize_innermost(*stage, target);
    }
  });
  if (!outputs) return outputs;
  return place_remaining(pipeline, target);
}

}  // namespace frit

#include "schedules/default_outputs.h"

#include <algorithm>
#include <numeric>

namespace frit {
namespace {

using Halide::TailStrategy;
using Halide::Var;
using Halide::VarOrRVar;
using Halide::Internal::ForType;

constexpr int kThreadsPerBlock = 128;
constexpr std::int64_t kWorthThreads = 32768;  // elements below which starting a thread costs more

bool untouched(const std::vector<Loop>& loops) {
  return std::all_of(loops.begin(), loops.end(),
                     [](const Loop& loop) { return loop.type == ForType::Serial; });
}

std::int64_t elements_of(const Stage& stage) {
  return std::accumulate(stage.extents.begin(), stage.extents.end(), std::int64_t{1},
                         [](std::int64_t a, std::int64_t b) { return a * b; });
}

// Joins the pure loops of one definition into one and cuts it into blocks of threads; the
// reductions stay inside the thread.
void gpu_definition(const StageState& state, int definition) {
  std::vector<Loop> axes;
  std::vector<VarOrRVar> order;
  for (const Loop& loop : loops_of(state, definition)) {
    if (loop.name == "outermost") continue;
    if (loop.is_reduction) {
      order.push_back(loop.var());
    } else {
      axes.push_back(loop);
    }
  }
  Halide::Stage stage = halide_stage(state, definition);
  if (axes.empty()) {
    stage.gpu_single_thread();
    return;
  }
  for (const Loop& axis : axes) order.push_back(axis.var());
  stage.reorder(order);
  VarOrRVar joined = axes.front().var();
  for (std::size_t i = 1; i < axes.size(); ++i) {
    const Var fused("gpu_joined_" + std::to_string(i));
    stage.fuse(joined, axes[i].var(), fused);
    joined = fused;
  }
  const Var block("gpu_block"), thread("gpu_thread");
  stage.gpu_tile(joined, block, thread, kThreadsPerBlock, TailStrategy::GuardWithIf);
}

}  // namespace

void vectorize_innermost(StageState& state, const Halide::Target& target) {
  const Stage& stage = *state.stage;
  if (stage.order.empty()) return;
  const auto axis = static_cast<std::size_t>(stage.order.front());
  const int lanes = target.natural_vector_size(stage.func.types().front());
  if (stage.extents[axis] < lanes || lanes < 2) return;
  const std::string name = stage.axes[axis].name();
  for (const int definition : definitions_of(state)) {
    const auto loops = loops_of(state, definition);
    const auto loop = find_loop(state, definition, name);
    if (!loop || !untouched(loops)) continue;
    const Var inner(name + "_vector");
    halide_stage(state, definition)
        .split(loop->var(), loop->var(), inner, lanes, TailStrategy::GuardWithIf);
    std::vector<VarOrRVar> order = {inner};
    for (const Loop& other : loops_of(state, definition)) {
      if (other.name != "outermost" && other.name != inner.name()) order.push_back(other.var());
    }
    halide_stage(state, definition).reorder(order).vectorize(inner);
  }
}

void schedule_root(StageState& state, const Halide::Target& target) {
  if (!target.has_gpu_feature()) return vectorize_innermost(state, target);
  for (const int definition : definitions_of(state)) {
    if (untouched(loops_of(state, definition))) gpu_definition(state, definition);
  }
}

void parallelize_outermost(StageState& state, const Halide::Target& target) {
  if (target.has_gpu_feature() || elements_of(*state.stage) < kWorthThreads) return;
  const Stage& stage = *state.stage;
  std::vector<Loop> loops = loops_of(state, kPureDefinition);
  std::reverse(loops.begin(), loops.end());
  for (const Loop& loop : loops) {
    if (loop.type != ForType::Serial || loop.name == "outermost") continue;
    for (std::size_t a = 0; a < stage.axes.size(); ++a) {
      if (stage.axes[a].name() != loop.name || stage.extents[a] < 2) continue;
      halide_stage(state, kPureDefinition).parallel(loop.var());
      return;
    }
  }
}

const Site* gpu_site(const LoopNest& nest, const StageState& stage,
                     const std::vector<Site>& legal) {
  const Site* thread = nullptr;
  for (const Site& site : legal) {
    if (site.loop.is_reduction) break;
    if (site.loop.type == ForType::GPUThread) thread = &site;
  }
  if (thread == nullptr || !nest.moves_with(stage, *thread)) return nullptr;
  return elements_of(*stage.stage) >= elements_of(*thread->stage->stage) ? thread : nullptr;
}

}  // namespace frit

#include "schedules/pipeline_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace frit {
namespace {

// Trip counts that hold whatever is done to the stage's region: all loops of outputs, and the
// reductions of any stage.
void fill_extents(StageState& state) {
  const Stage& stage = *state.stage;
  for (const int definition : definitions_of(state)) {
    auto& known = state.extents[definition];
    if (state.is_output) {
      for (std::size_t a = 0; a < stage.axes.size() && a < stage.extents.size(); ++a) {
        known[stage.axes[a].name()] = stage.extents[a];
      }
    }
    for (const auto& variable : halide_stage(state, definition).get_schedule().rvars()) {
      const auto* extent = variable.extent.as<Halide::Internal::IntImm>();
      if (extent == nullptr) continue;
      for (const Loop& loop : loops_of(state, definition)) {
        if (loop.halide_name == variable.var) known[loop.name] = extent->value;
      }
    }
  }
}

// The variables from which splits, fuses and renames made `name` (Halide's full name).
std::set<std::string> roots_of(const Halide::Internal::StageSchedule& schedule,
                               const std::string& name) {
  std::set<std::string> names = {name};
  const auto& splits = schedule.splits();
  for (auto split = splits.rbegin(); split != splits.rend(); ++split) {
    if (split->split_type == Halide::Internal::Split::FuseVars) {
      if (names.erase(split->old_var) != 0) names.insert({split->outer, split->inner});
    } else if (names.erase(split->outer) + names.erase(split->inner) != 0) {
      names.insert(split->old_var);
    }
  }
  return names;
}

}  // namespace

bool names_output(const std::string& role) {
  if (role == "out") return true;
  return role.starts_with("out_") && role.size() > 4 &&
         std::all_of(role.begin() + 4, role.end(), [](char c) { return c >= '0' && c <= '9'; });
}

PipelineState::PipelineState(PipelineView& view) : view_(view) {
  for (Stage* stage : view.stages) {
    StageState& state = states_.emplace_back();
    state.stage = stage;
    state.is_output = names_output(stage->role);
    fill_extents(state);
  }
}

std::vector<StageState*> PipelineState::stages() {
  std::vector<StageState*> all;
  for (StageState& state : states_) all.push_back(&state);
  return all;
}

StageState* PipelineState::find(const std::string& role) {
  for (StageState& state : states_) {
    if (state.role() == role) return &state;
  }
  return nullptr;
}

StageState* PipelineState::find_function(const std::string& halide_name) {
  for (StageState& state : states_) {
    if (state.stage->func.name() == halide_name) return &state;
  }
  return nullptr;
}

StageState& PipelineState::add(Stage made) {
  made_.push_back(std::make_unique<Stage>(std::move(made)));
  StageState& state = states_.emplace_back();
  state.stage = made_.back().get();
  fill_extents(state);
  return state;
}

std::string PipelineState::role_list() {
  std::string list;
  for (const StageState& state : states_) list += (list.empty() ? "" : ", ") + state.role();
  return list;
}

void bound_outputs(PipelineState& pipeline) {
  for (StageState* state : pipeline.stages()) {
    if (!state->is_output) continue;
    const Stage& stage = *state->stage;
    Halide::Func func = stage.func;
    for (std::size_t a = 0; a < stage.axes.size(); ++a) {
      func.bound(stage.axes[a], 0, static_cast<int>(stage.extents[a]));
    }
  }
}

std::vector<int> definitions_of(const StageState& state) {
  std::vector<int> all = {kPureDefinition};
  for (int i = 0; i < state.stage->func.num_update_definitions(); ++i) all.push_back(i);
  return all;
}

std::vector<Loop> loops_of(const StageState& state, int definition) {
  std::vector<Loop> loops;
  const Halide::Internal::StageSchedule schedule = halide_stage(state, definition).get_schedule();
  for (const Halide::Internal::Dim& dim : schedule.dims()) {
    // Halide keeps the way of splits ("x.xo"); the last part is the loop's own name.
    const std::string own = dim.var.substr(dim.var.rfind('.') + 1);
    Loop loop{own, own, dim.is_rvar(), roots_of(schedule, dim.var), dim.for_type};
    for (const auto& [name, rvar] : state.stage->reduction) {
      if (rvar.name() == own) loop.name = name;
    }
    if (own == Halide::Var::outermost().name()) loop.name = "outermost";
    loops.push_back(std::move(loop));
  }
  return loops;
}

std::optional<Loop> find_loop(const StageState& state, int definition, const std::string& name) {
  for (const Loop& loop : loops_of(state, definition)) {
    if (loop.name == name) return loop;
  }
  return std::nullopt;
}

std::string loop_list(const StageState& state, int definition) {
  std::string list;
  for (const Loop& loop : loops_of(state, definition)) {
    if (loop.name != "outermost") list += (list.empty() ? "" : ", ") + loop.name;
  }
  return list.empty() ? "none" : list;
}

std::string definition_name(const StageState& state, int definition) {
  if (definition == kPureDefinition) return state.role();
  return fmt::format("{}.update({})", state.role(), definition);
}

Halide::Stage halide_stage(const StageState& state, int definition) {
  Halide::Func func = state.stage->func;
  if (definition == kPureDefinition) return Halide::Stage(func);
  return func.update(definition);
}

}  // namespace frit

// A pipeline while a schedule is applied: stages by role, their loops by schedule name, and where
// each stage is computed.
//
// Loops are read off Halide's own schedule, so they are right after any directive. Schedules name
// reductions by logical axis ("c", "ry"), Halide by RDom ("r$x"): Stage::reduction maps them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schedules/ast.h"
#include "schedules/pipeline_view.h"

namespace frit {

inline constexpr int kPureDefinition = -1;  ///< definitions are -1, then updates 0, 1 …

struct StageState;

struct Placement {
  enum class Kind : std::uint8_t { kUnplaced, kInline, kRoot, kAt };
  Kind kind = Kind::kUnplaced;
  StageState* consumer = nullptr;  ///< kAt
  std::string loop;                ///< kAt: schedule name in the consumer
};

struct StageState {
  Stage* stage = nullptr;
  bool is_output = false;
  bool computed_with = false;  ///< compute_with: its loops are another's
  Placement compute;
  /// Known trip counts by loop name, per definition: exact for outputs and reductions.
  std::map<int, std::map<std::string, std::int64_t>> extents;

  const std::string& role() const { return stage->role; }
};

struct Loop {
  std::string name;         ///< schedule name; "outermost" for Var::outermost()
  std::string halide_name;  ///< as Halide's schedule has it
  bool is_reduction = false;
  std::set<std::string> roots;  ///< variables of the definition that the loop was made from
  Halide::Internal::ForType type = Halide::Internal::ForType::Serial;

  Halide::VarOrRVar var() const { return {halide_name, is_reduction}; }
};

class PipelineState {
 public:
  explicit PipelineState(PipelineView& view);

  /// Stages in order of making; those made by rfactor and wrappers come after the view's.
  std::vector<StageState*> stages();
  StageState* find(const std::string& role);
  StageState* find_function(const std::string& halide_name);
  /// Adds a stage that a directive made.
  StageState& add(Stage made);
  const PipelineView& view() const { return view_; }

  /// Roles, joined for messages.
  std::string role_list();

 private:
  PipelineView& view_;
  std::deque<StageState> states_;  // addresses stay
  std::vector<std::unique_ptr<Stage>> made_;
};

/// Whether a role is that of an output: "out", "out_0", "out_1" …
bool names_output(const std::string& role);

/// Tells Halide the extents of every output, so that splits which divide them need no guard.
void bound_outputs(PipelineState& pipeline);

/// Definitions of the stage: -1, 0 … up to its last update.
std::vector<int> definitions_of(const StageState& state);
/// Loops of one definition, innermost first; the last is "outermost".
std::vector<Loop> loops_of(const StageState& state, int definition);
std::optional<Loop> find_loop(const StageState& state, int definition, const std::string& name);
/// "k, x, y" innermost first, without "outermost".
std::string loop_list(const StageState& state, int definition);
/// "acc" or "acc.update(0)".
std::string definition_name(const StageState& state, int definition);

Halide::Stage halide_stage(const StageState& state, int definition);

}  // namespace frit

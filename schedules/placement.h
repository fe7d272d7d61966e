// Where stages are computed and stored: compute_at and kin, applied after all loops are known.
//
// Halide ignores or only late refuses a wrong place; here each is checked against the loop nest.
#pragma once

#include <vector>

#include "ops/base/result.h"
#include "schedules/directive_call.h"
#include "schedules/loop_nest.h"

namespace frit {

/// A placement directive that waits for the loops to be made.
struct PendingPlacement {
  const DirectiveLine::Call* call = nullptr;
  Span line;  ///< from the subject to the end of the call, for messages
  StageState* stage = nullptr;
  int definition = kPureDefinition;
  bool optional = false;  ///< skipped where the other stage is missing
};

/// Applies them in order, the last one for a stage winning. All faults at once.
Diagnostics apply_placements(const ScheduleAst& ast, PipelineState& pipeline, const Facts& bound,
                             const std::vector<PendingPlacement>& pending);

/// Sets Halide's compute level and the state's. The site must be one of LoopNest::legal_sites.
void compute_at_site(StageState& stage, const Site& site);
void compute_at_root(StageState& stage);
void compute_inlined(StageState& stage);

}  // namespace frit

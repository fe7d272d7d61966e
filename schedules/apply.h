// The directives of a file on a pipeline, with every fault (apply_schedule gives the first).
#pragma once

#include "ops/base/result.h"
#include "schedules/pipeline_state.h"
#include "schedules/schedule.h"

namespace frit {

/// Most directives applied to one pipeline, wildcards counted on each stage. The longest shipped
/// file has about 60; each split makes all later ones slower (500 take 0.2 s).
inline constexpr int kMostDirectives = 500;

/// Applies all lines in force, placements last. Stages that the text does not place stay unplaced.
/// "sched-too-long" beyond kMostDirectives.
Diagnostics apply_directives(const Schedule& schedule, PipelineState& pipeline, const Facts& bound);

}  // namespace frit

// The directives of a file on a pipeline, with every fault (apply_schedule gives the first).
#pragma once

#include "ops/base/result.h"
#include "schedules/pipeline_state.h"
#include "schedules/schedule.h"

namespace frit {

/// Applies all lines in force, placements last. Stages that the text does not place stay unplaced.
Diagnostics apply_directives(const Schedule& schedule, PipelineState& pipeline, const Facts& bound);

}  // namespace frit

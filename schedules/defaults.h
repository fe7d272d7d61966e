// Where stages go that no text places, and the safe schedule for a whole pipeline.
#pragma once

#include "ops/base/result.h"
#include "schedules/pipeline_state.h"

namespace frit {

/// Places every stage that is not placed yet, consumers first. A pure stage is inlined where that
/// repeats little work, else computed at its consumer's tile; a reduction is computed at its
/// consumer's innermost loop that is not vectorised or unrolled, its own loops vectorised along the
/// innermost storage dimension.
Status place_remaining(PipelineState& pipeline, const Halide::Target& target);

}  // namespace frit

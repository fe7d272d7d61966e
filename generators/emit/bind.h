// Which schedule a group gets, with its facts, params and packs filled in.
#pragma once

#include "generators/emit/emit.h"

namespace frit {

/// The schedule of a group: first user file that applies, then the shipped ones, then the default.
Result<BoundSchedule> bind_schedule(const Graph& graph, const Plan& plan, const Group& group,
                                    const EmitOptions& options);

/// The schedule of a group at a CPU level below the one that `highest` is for. Its packs are those
/// of `highest`: the first schedule that applies and packs the group's constants just so, else the
/// safe default. The fact packed_block is the block of the constant `w`, 1 where it has none.
Result<BoundSchedule> bind_lower_schedule(const Graph& graph, const Plan& plan, const Group& group,
                                          const EmitOptions& options, const CpuLevel& level,
                                          const BoundSchedule& highest);

}  // namespace frit

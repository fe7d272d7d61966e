// Which schedule a group gets, with its facts, params and packs filled in.
#pragma once

#include "generators/emit/emit.h"

namespace frit {

/// The schedule of a group: first user file that applies, then the shipped ones, then the default.
Result<BoundSchedule> bind_schedule(const Graph& graph, const Plan& plan, const Group& group,
                                    const EmitOptions& options);

/// The schedule of a group at a CPU level below the one that `highest` is for. Its packs are those
/// of `highest`: the first schedule that applies and asks for no other ones, else the safe default.
/// The facts packed_block (of the constant `w`; 1: no block) and packed_c tell it how they lie.
Result<BoundSchedule> bind_lower_schedule(const Graph& graph, const Plan& plan, const Group& group,
                                          const EmitOptions& options, const CpuLevel& level,
                                          const BoundSchedule& highest);

}  // namespace frit

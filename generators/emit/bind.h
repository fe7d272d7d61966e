// Which schedule a group gets, with its facts, params and packs filled in.
#pragma once

#include <set>
#include <string>

#include "generators/emit/emit.h"

namespace frit {

/// Names of shipped schedules that did not work out for a group.
using GivenUp = std::set<std::string>;

/// The schedule of a group: first user file that applies, then the shipped ones but for those given
/// up, then the default. A shipped one that does not bind is passed over.
Result<BoundSchedule> bind_schedule(const Graph& graph, const Plan& plan, const Group& group,
                                    const EmitOptions& options, const GivenUp& given_up = {});

/// The schedule of a group at a CPU level below the one that `highest` is for. Its packs are those
/// of `highest`: the first schedule that applies and asks for no other ones, else the safe default.
/// The facts packed_block (of the constant `w`; 1: no block) and packed_c tell it how they lie.
Result<BoundSchedule> bind_lower_schedule(const Graph& graph, const Plan& plan, const Group& group,
                                          const EmitOptions& options, const CpuLevel& level,
                                          const BoundSchedule& highest,
                                          const GivenUp& given_up = {});

/// Warning "emit-fallback": `group` goes without the shipped `schedule`, because of `fault`.
Diagnostic fallback_warning(const Group& group, const std::string& schedule,
                            const Diagnostic& fault);

}  // namespace frit

// Plans as text: printed by to_text (plan.h), read back here, compared by `frit plan --expect`.
//
//     plan 1                                   # format version
//     in "x" f32[1,3,8,8] stored 0:1 1:3 2:8 3:8
//     group 0 kernel conv2d
//       node "conv1" Conv anchor
//       node "relu1" Relu
//       out "y" f32[1,16,8,8] stored 0:1 2:8(+1+1) 3:8(+1+1) 1:16 [fill F] [strides S offset N in
//       "z"]
//
// Storage lists axis:extent, outermost first, with the halo in brackets. A node or value whose name
// is empty or not its own is followed by 'id' and its number. Inputs of groups follow from the
// graph.
#pragma once

#include <string>

#include "generators/fusion/planner.h"

namespace frit {

/// The plan that `text` pins for `graph` (after insert_layouts), with verdicts. All faults at once,
/// with place: "plan-text" (grammar), "plan-no-such-node", "plan-broken" (check_plan), or the
/// legality code of a group that no kernel can be made of.
tl::expected<Plan, Diagnostics> parse_plan(const std::string& text, const std::string& file,
                                           const Graph& graph, const PlanOptions& options);

/// Differences of `plan` from the plan in `text`, each naming the missed fusion ("plan-missed",
/// with the verdict's sentence), the fusion not expected ("plan-unexpected") or the storage that
/// differs
/// ("plan-storage"). Empty: as expected.
Diagnostics compare_plan(const std::string& text, const std::string& file, const Graph& graph,
                         const Plan& plan);

}  // namespace frit

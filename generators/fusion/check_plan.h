// Is a Plan right for its Graph? For tests, for plans read from text, and after every make_plan.
#pragma once

#include "generators/fusion/plan.h"
#include "ops/base/result.h"

namespace frit {

/// Every node in exactly one group; inputs and outputs of groups complete; each group after those
/// whose values it reads; graph inputs and outputs dense in buffers of their own; every value of a
/// group's inputs and outputs stored; views inside their base's buffer. Error "plan-broken" naming
/// the group or value.
Status check_plan(const Graph& graph, const Plan& plan);

/// Error "plan-too-large" where a value and its border hold more elements than a kernel can index.
Status check_sizes(const Graph& graph, const Plan& plan);

}  // namespace frit

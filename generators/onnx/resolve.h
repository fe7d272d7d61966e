// Types and known values of a graph as read: the last step of the import.
#pragma once

#include "generators/graph/graph.h"
#include "ops/base/result.h"

namespace frit {

/// In order of the nodes: runs the shape rules, and evaluates shape arithmetic (graph/fold.h) so
/// that later shape rules find their values. Returns every fault; nodes that read an untyped value
/// are passed over, since their cause is listed.
Diagnostics resolve_types(Graph& graph);

}  // namespace frit

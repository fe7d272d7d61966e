// One verdict for each edge between two nodes, from what the planner recorded on its way.
#pragma once

#include <vector>

#include "generators/fusion/grouping.h"

namespace frit {

/// In order of the consumer, then of its inputs. Code "fused" or "view" when nothing is stored for
/// the edge, else that of the refusal.
std::vector<EdgeVerdict> make_verdicts(const GraphFacts& facts, const Layout& layout,
                                       const Grouping& grouping, const PlanOptions& options);

}  // namespace frit

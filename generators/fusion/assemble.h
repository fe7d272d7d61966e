// From sets of nodes to the groups of a Plan.
#pragma once

#include <vector>

#include "generators/fusion/grouping.h"

namespace frit {

/// Groups so that each comes after those whose values it reads; of those ready, the one whose last
/// node stands first in the graph.
std::vector<int> execution_order(const GraphFacts& facts, const Grouping& grouping);

/// Nodes in topological order, what the anchor needs first; inputs, outputs, anchor and name.
Group make_group(const GraphFacts& facts, const Layout& layout, const Grouping::Members& members,
                 int id);

/// Copies storage and aliases of every value that a group, or the caller, reads or writes.
void keep_storage(const GraphFacts& facts, const Layout& layout, Plan& plan);

}  // namespace frit

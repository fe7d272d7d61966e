// Finding a node by its id fast.
#pragma once

#include <cstddef>
#include <vector>

#include "generators/graph/graph.h"

namespace frit {

/// Position of the node with that id; nodes.size() when there is none. Looks outwards from where the
/// last search of this thread ended, since passes go through a graph in order: a few steps, and as
/// many as there are nodes only for an id that is gone.
std::size_t find_node(const std::vector<Node>& nodes, NodeId id);

}  // namespace frit

// Expand and Tile: a value repeated along axes.
//
//   Expand : out[i…] = in[i…], an axis of extent 1 read at 0; the shapes broadcast both ways
//   Tile   : out[i…] = in[i mod extent…]
//
// shape and repeats are inputs, which must be constant, or attributes of the canonical form.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds Expand, Tile.
void add_expand(std::vector<const Operator*>& all);

}  // namespace frit

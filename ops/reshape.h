// Operators that give a value another shape and leave its elements in row-major order.
//
//   Reshape    shape from an input (opset 5 on) or an attribute; 0 copies the input's extent unless
//              allowzero, one -1 takes what is left
//   Squeeze, Unsqueeze   axes from an attribute or, from opset 13, an input
//   Flatten    [d0*…*d(axis-1), d(axis)*…]
//
// All become Reshape with the attribute `shape`, the resulting extents.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds Flatten, Reshape, Squeeze, Unsqueeze.
void add_reshape(std::vector<const Operator*>& all);

}  // namespace frit

// Operators whose value follows from shapes and constants alone.
//
//   Shape (start, end), Size, Constant, ConstantOfShape, Range
//
// They have a shape rule only: constant folding evaluates them by the reference before anything is
// planned, so that build is never reached.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds Constant, ConstantOfShape, Range, Shape, Size.
void add_shape(std::vector<const Operator*>& all);

}  // namespace frit

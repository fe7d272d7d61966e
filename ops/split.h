// Split: one value cut along an axis into several.
//
//   out_j[…,i,…] = in[…, offset_j + i, …]
//
// Sizes: attribute `split` (before opset 13), input 1 (constant; opset 1 and from 13 on), else
// equal parts; with num_outputs (opset 18) the last part may be smaller. The number of parts is the
// number of outputs of the node, which the caller states as op.outputs.size() even before
// inference.
//
// Split is never built: a pass replaces it by the slices below.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds Split.
void add_split(std::vector<const Operator*>& all);

/// One canonical Slice of input 0 for each output of a canonical Split, in order; `outputs` filled,
/// names "<split>/0", "<split>/1", …
std::vector<OpInstance> split_as_slices(const OpInstance& split);

}  // namespace frit

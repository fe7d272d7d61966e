// Gather: slices of a value picked by a tensor of indices.
//
//   out[i…, j…, k…] = in[i…, indices[j…], k…], the indices standing in place of `axis`
//
// Negative indices count from the end. Constant indices are checked when inferring; those known at
// run time only are clamped, so that no index reads outside the input.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds Gather.
void add_gather(std::vector<const Operator*>& all);

}  // namespace frit

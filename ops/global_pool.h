// GlobalAveragePool and GlobalMaxPool: one value per image and channel.
//
//   out[n,c,0,0] = mean, or maximum, over all y, x of in[n,c,y,x]
//
// Built like a reduction of the last axes: anchor "reduce", reduction axes r0 (first spatial axis),
// r1, …, facts "r0", "r1", …, "reduced" (their product) and "outputs". NaN propagates.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds GlobalAveragePool, GlobalMaxPool.
void add_global_pool(std::vector<const Operator*>& all);

}  // namespace frit

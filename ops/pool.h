// MaxPool and AveragePool over one to three spatial axes.
//
//   max : out[n,c,y,x] = max over ry,rx of in[n, c, y*sy+ry*dy-py, x*sx+rx*dx-px]; NaN propagates
//   mean: the sum over the same window divided by the taps that lie inside the input, or, with
//         count_include_pad, inside input and pads (a window of ceil_mode may reach past both)
//
// Elements outside the input never win a maximum and add nothing to a sum. Reduction axes ry, rx
// (stage "acc"); the mean's division is a pure stage "mean" on top.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds MaxPool, AveragePool. MaxPool's second output (indices) is not offered: infer gives one
/// type.
void add_pool(std::vector<const Operator*>& all);

}  // namespace frit

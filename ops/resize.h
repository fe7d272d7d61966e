// Resize and Upsample: a value sampled on another grid, axis by axis.
//
//   out[o0,o1,…] = sum over taps t of weight0[o0,t0] * weight1[o1,t1] * … * in[index0[o0,t0], …]
//
// "nearest" has one tap of weight 1: index arithmetic where the scale is whole, so that a consumer
// or a Concat's buffer takes it in as a copy; else a look-up. "linear" has two taps, "cubic" four;
// each axis that changes is one stage of its own ("along_y"), inlined by default. Canonical inputs
// after x: for each axis that needs it, its index table [out,taps] i32 and, unless nearest, its
// weights [out,taps] (resize_axis.h), which canonicalise computes.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds Resize and Upsample.
void add_resize(std::vector<const Operator*>& all);

}  // namespace frit

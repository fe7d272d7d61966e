// Conv: convolution over one to three spatial axes.
//
//   out[n,k,y,x] = b[k] + sum_{c,ry,rx} w[k,c,ry,rx] * in[n, first(k)+c, y*sy+ry*dy-py,
//   x*sx+rx*dx-px]
//
// in [n,c,y,x], w [k,c/group,ry,rx], b [k] or absent; first(k) = (k / (K/group)) * (C/group).
// Elements outside the input are zero. Stage "acc" is the result (float16 and bfloat16 are summed
// in float32 and narrowed by a stage of their own). Three forms, by what the loop nest looks like:
//   "conv2d"          group 1: reduction axes c, ry, rx
//   "depthwise"       group = channels in = channels out: ry, rx
//   "grouped_conv2d"  otherwise: c, ry, rx, with first(k) added to the channel
// In one and three dimensions the names end in "1d" and "3d" ("conv1d", "depthwise3d").
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds Conv.
void add_conv(std::vector<const Operator*>& all);

}  // namespace frit

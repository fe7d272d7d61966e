// ConvTranspose: the transpose of a convolution over one to three spatial axes.
//
//   out[n,k,y,x] = b[k] + sum_{c,jy,jx} w[c, k mod K/group, tap_y(y,jy), tap_x(x,jx)] *
//                         in[n, first(k)+c, at_y(y,jy), at_x(x,jx)]
//
// in [n,c,y,x], w [c, k/group, ry, rx], b [k] or absent; tap and at as transposed_window.h says:
// the scatter of ONNX's text, read from the output's side. Inputs outside are zero. Stage "acc" is
// the result (float16 and bfloat16 are summed in float32 and narrowed by a stage of their own). A
// schedule that unrolls an output phase (x and y split by stride) gets constant taps. Forms:
//   "conv_transpose2d"       group 1: reduction axes c, ry, rx (ry, rx count the taps of one phase)
//   "depthwise_transpose2d"  group = channels in = channels out: ry, rx
//   "grouped_transpose2d"    other groups: c, ry, rx
//   "narrow_transpose2d"     group 1, fewer than four channels out, whole cells of stride_y x
//   stride_x
//                            outputs: c, ry, rx; "acc" has axes n, k, py, px, qy, qx (phase, cell)
// In one and three dimensions the names end in "1d" and "3d".
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds ConvTranspose.
void add_conv_transpose(std::vector<const Operator*>& all);

}  // namespace frit

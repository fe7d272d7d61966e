// Windows of transposed convolutions, as a gather: which taps and inputs meet in one output.
//
// Scattered, input i of an axis adds to output o = i*stride + r*dilation - pad_low through tap r.
// Read the other way, with t = o + pad_low, an output meets only the taps with
// r*dilation = t (mod stride): r = first(t) + j*step, j in [0,taps), at input
// (t - first(t)*dilation)/stride - j*back. With g = gcd(stride, dilation): step = stride/g,
// back = dilation/g, first(t) = (t mod stride)/g * back^-1 mod step; outputs whose t is no multiple
// of g meet none. So each of the `stride` output phases is a small direct convolution, nothing is
// multiplied by stuffed zeros and nothing is scattered.
#pragma once

#include <Halide.h>

#include <vector>

#include "ops/base/result.h"
#include "ops/instance.h"
#include "ops/operator.h"

namespace frit {

/// One entry per spatial axis in each list.
struct TransposedWindow {
  std::vector<std::int64_t> in, kernel, strides, dilations, pad_low, pad_high, out_padding, out;

  std::size_t rank() const { return in.size(); }
  /// Taps that one output meets at most, and their distance in the kernel.
  std::int64_t taps(std::size_t axis) const;
  std::int64_t step(std::size_t axis) const;
  /// Product of the kernel's extents.
  std::int64_t kernel_size() const;
};

/// The window of `op` over the spatial axes of input 0, from its attributes strides, dilations,
/// pads, output_padding, output_shape and auto_pad (missing ones as ONNX says).
///
/// out = stride*(in-1) + output_padding + (kernel-1)*dilation + 1 - pads. With output_shape (of the
/// spatial axes or of all) or auto_pad SAME_* (then out = in*stride) the pads follow, the odd one
/// at the end for SAME_UPPER, else at the begin; where there would be fewer than none,
/// output_padding grows instead. Errors: "onnx-attribute" (length or range of a list, unknown
/// auto_pad, a stated output_padding of max(stride, dilation) or more), "onnx-shape" (rank, an
/// output extent that is not defined_extent).
Result<TransposedWindow> transposed_window_of(const OpInstance& op,
                                              const std::vector<std::int64_t>& kernel);

/// Writes the window as canonical attributes kernel_shape, strides, dilations, pads,
/// output_padding; removes auto_pad and output_shape, and marks with frit_fitted that they chose
/// it.
void set_transposed_window_attributes(OpInstance& op, const TransposedWindow& window);

/// Where output `out` of one axis meets tap number `j`: tap of the kernel (kept inside it),
/// position in the input, and whether there is such a tap; `exists` is undefined where it always
/// does.
struct TransposedTap {
  Halide::Expr tap, input, exists;
};
TransposedTap transposed_tap(const TransposedWindow& window, std::size_t axis,
                             const Halide::Expr& out, const Halide::Expr& j);

/// How far the gather reads beyond [n,c,spatial…].
Operator::Reach transposed_reach(const TransposedWindow& window);

}  // namespace frit

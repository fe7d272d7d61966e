// Sliding windows over the spatial axes: what convolutions and pools share.
//
// Output position o of an axis reads input positions o*stride + r*dilation - pad_low for each tap r
// in [0,kernel). Axes are [n,c,spatial…] with one to three spatial axes.
#pragma once

#include <Halide.h>

#include <string>
#include <vector>

#include "ops/base/result.h"
#include "ops/instance.h"
#include "ops/operator.h"

namespace frit {

/// One entry per spatial axis in each list; `out` follows from the others.
struct Window {
  std::vector<std::int64_t> in, kernel, strides, dilations, pad_low, pad_high, out;

  std::size_t rank() const { return in.size(); }
  /// Input positions from the first to the last tap.
  std::int64_t span(std::size_t axis) const { return (kernel[axis] - 1) * dilations[axis] + 1; }
  /// Number of taps.
  std::int64_t taps() const;
};

/// Whether ONNX defines an output of `out` elements, as the formula of the operator gives them,
/// from `in` elements of a spatial axis: an empty axis may give none, any other gives at least one,
/// and none gives fewer than none.
bool defined_extent(std::int64_t in, std::int64_t out);

/// Refuses an input 0 without one to three spatial axes of known extent, and a kernel that has not
/// as many positive extents. "onnx-shape", "onnx-attribute".
Status check_spatial(const OpInstance& op, const std::vector<std::int64_t>& kernel);

/// An attribute of `length` numbers from `least` to kMaxExtent; a missing one is all `otherwise`.
/// Error "onnx-attribute".
Result<std::vector<std::int64_t>> spatial_list(const OpInstance& op, const std::string& name,
                                               std::size_t length, std::int64_t otherwise,
                                               std::int64_t least);

/// Strides, dilations and pads as the attributes state them, of `rank` axes, into `window`; gives
/// the pads as one list. Errors as spatial_list.
Result<std::vector<std::int64_t>> read_lists(const OpInstance& op, std::size_t rank,
                                             Window& window);

/// The window of `op` over the spatial axes of input 0, from its attributes strides, dilations,
/// pads and auto_pad (missing ones as ONNX says).
///
/// out = floor((in + pads - span) / stride) + 1, with ceil for ceil_mode, less one where the last
/// window would start past input and begin pad; a window that is larger by d: 1 - d. SAME_UPPER and
/// SAME_LOWER: out = ceil(in / stride), the odd pad at the end or at the begin. VALID: no pads.
/// (The text of ONNX lets VALID make ceil_mode void; its shape inference and ONNX Runtime do not,
/// nor does this.) Errors: "onnx-attribute" (length or range of a list, unknown auto_pad, pads
/// beside auto_pad), "onnx-shape" (rank; an output extent that is not defined_extent: a window
/// larger than the padded input).
Result<Window> window_of(const OpInstance& op, const std::vector<std::int64_t>& kernel,
                         bool ceil_mode = false);

/// Writes the window as canonical attributes kernel_shape, strides, dilations, pads; removes
/// auto_pad.
void set_window_attributes(OpInstance& op, const Window& window);

/// "x", "y","x" or "z","y","x".
std::vector<std::string> spatial_names(std::size_t rank);

/// "n", `channel` and the spatial names of input 0: the axis names of an image.
std::vector<std::string> image_axes(const OpInstance& op, const char* channel);

/// out * stride + tap * dilation - pad_low of one axis, without terms that do nothing.
Halide::Expr window_index(const Window& window, std::size_t axis, const Halide::Expr& out,
                          const Halide::Expr& tap);

/// How far the window reads beyond [n,c,spatial…]: what is really read, which may be less than the
/// pads, since the last window need not use all of them.
Operator::Reach window_reach(const Window& window, double fill);

/// Adds "rx", "stride_x", "dilation_x", "in_x" and the same of the other spatial axes.
void add_window_facts(const Window& window, Facts& facts);

}  // namespace frit

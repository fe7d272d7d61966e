// Where one axis of a Resize reads, and with which weights.
//
// Positions follow ONNX's coordinate_transformation_mode. "nearest" computes them in float32, as
// the scale is, so that a scale of 1/3 picks every third element; the others in double. Where scale
// * in is no whole number, length_resized in the formulas is that product, as ONNX's reference has
// it.
#pragma once

#include <optional>
#include <vector>

#include "ops/resize_spec.h"

namespace frit {

/// Output position o reads taps index[o*taps + t], kept inside the input, times weight[o*taps + t].
struct ResizeTable {
  std::int64_t taps = 1;
  std::vector<std::int32_t> index;
  std::vector<double> weight;
  /// By output position: outside the input, so the result is extrapolation_value; empty: none.
  std::vector<bool> outside;
};
/// Taps of each position: 1, 2, 4, or more where antialias widens the kernel.
std::int64_t resize_taps(const ResizeSpec& spec, std::size_t axis);
ResizeTable resize_table(const ResizeSpec& spec, std::size_t axis);

/// Nearest as index arithmetic: (o + shift) / period * step + start, kept inside the input.
struct ResizeLine {
  std::int64_t shift = 0, period = 1, step = 1, start = 0;
  bool below = false, above = false;  ///< it leaves the input at that end
};
/// The line through all positions of `axis`, for whole scales up and down; nullopt where there is
/// none, or where positions lie outside.
std::optional<ResizeLine> resize_line(const ResizeSpec& spec, std::size_t axis);

/// True where output position o is input position o, for every o.
bool keeps_axis(const ResizeSpec& spec, std::size_t axis);

}  // namespace frit

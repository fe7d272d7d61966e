// Sizes that frit can build for, checked where an operator may enlarge its input.
//
// Halide indexes with 32-bit integers, and a hostile model may state any extent: every rule that
// makes an extent from attributes or values passes it through here before multiplying it further.
#pragma once

#include <string>
#include <vector>

#include "ops/base/result.h"
#include "ops/instance.h"

namespace frit {

/// Greatest extent, stride, dilation or pad accepted: products of two stay far inside 64 bits.
inline constexpr std::int64_t kMaxExtent = std::int64_t{1} << 30;
/// Greatest number of elements of one tensor.
inline constexpr std::int64_t kMaxElements = (std::int64_t{1} << 31) - 1;

/// Product of `dims`, or -1 when one is negative, above kMaxExtent, or the product above
/// kMaxElements. A zero extent makes it 0.
std::int64_t checked_elements(const std::vector<std::int64_t>& dims);

/// Error "onnx-shape" naming the node unless checked_elements(dims) >= 0.
Status check_size(const OpInstance& op, const std::vector<std::int64_t>& dims);

/// Error "onnx-shape" unless every extent of input i is constant.
Status check_constant_shape(const OpInstance& op, std::size_t i, const std::string& name);

}  // namespace frit

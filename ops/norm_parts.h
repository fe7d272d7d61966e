// What expansions of normalisations are made of.
#pragma once

#include <vector>

#include "ops/expansion.h"

namespace frit {

/// x in `dtype`, itself where it is.
Ref cast_to(Expansion& to, Ref x, DType dtype);
/// float16 and bfloat16 in float32; others as they are.
Ref widened(Expansion& to, Ref x);
/// x with other extents of the same number of elements.
Ref reshaped(Expansion& to, Ref x, const std::vector<std::int64_t>& dims);

/// Mean and variance (of two passes) over `axes`, which stay as extents of 1.
struct Moments {
  Ref mean, centred, variance;  ///< centred: x - mean
};
Moments moments(Expansion& to, Ref x, const std::vector<std::int64_t>& axes);

/// Error "onnx-attribute" unless stash_type asks for statistics in float32 or for what frit
/// computes in float32 too.
Status check_stash_type(const OpInstance& op);

}  // namespace frit

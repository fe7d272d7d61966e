// Slice: out[i…] = in[starts[a] + i*steps[a] …].
//
// Before opset 10 starts, ends, axes are attributes, from then on inputs, which must be constant.
// Negative starts and ends count from the end; both are clamped as ONNX says, so that INT64_MAX and
// INT64_MIN are legal. The canonical form has the attributes starts, ends, steps, one value per
// axis of the input, clamped; with a negative step, end -1 means before the first element. `steps`
// as an attribute marks the canonical form: ONNX has none.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds Slice.
void add_slice(std::vector<const Operator*>& all);

}  // namespace frit

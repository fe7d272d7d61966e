// The border that an operator reads around an input, counted with it against the limit of a tensor.
#pragma once

#include "ops/operator.h"

namespace frit {

/// Error "onnx-too-large" where an input of `op`, together with rule.reach beyond it, holds more
/// than kMaxElements: kernels index the bordered tensor as they do any other.
Status check_border_sizes(const Operator& rule, const OpInstance& op);

}  // namespace frit

// Reading operands under ONNX multidirectional broadcasting.
#pragma once

#include "ops/stage.h"

namespace frit {

/// Element of `operand` that broadcasts to `index` of a result with extents `dims`: the operand's
/// axes are the last ones of the result; an axis of extent 1 against a larger one reads element 0.
Halide::Expr read_broadcast(const Operand& operand, const Index& index,
                            const std::vector<std::int64_t>& dims);

}  // namespace frit

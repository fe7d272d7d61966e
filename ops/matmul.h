// MatMul: the product of the last two axes, batches broadcast as numpy's matmul does.
//
//   out[b…,m,n] = sum_k a[b…,m,k] * b[b…,k,n]
//
// An operand of rank 1 is a row (left) or a column (right) whose axis is absent from the output.
// float16 and bfloat16 are summed in float32 and narrowed by a stage "narrow"; integers in their
// own type. Output axes b0, b1, …, m, n, where a right operand of rank 2 lets the longest batch
// axis be "m" if m is short; reduction axis k; stage "acc"; anchor "matmul". A right operand of
// rank 2 has the role "w" and axes k, n, so that schedules can pack it.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds MatMul.
void add_matmul(std::vector<const Operator*>& all);

/// Types that MatMul and Gemm take: floats, and 32- and 64-bit integers.
std::span<const DType> product_types();

}  // namespace frit

// Gemm: alpha * A' * B' + beta * C, all of rank 2.
//
//   out[m,n] = alpha * sum_k a'[m,k] * b'[k,n] + beta * c[m,n]
//
// a' and b' are transposed where transA, transB say so; c, which may be absent, broadcasts to
// [m,n]: rank 0, [1], [n], [1,n], [m,1] or [m,n]. With alpha 1 the sum starts from beta * c in
// stage "acc"; else a pure stage "scale" follows. Axes, role "w" and anchor are those of MatMul;
// a transposed b has axes n, k.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds Gemm.
void add_gemm(std::vector<const Operator*>& all);

}  // namespace frit

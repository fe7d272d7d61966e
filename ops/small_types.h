// Conversions between element types, storage types included, as Halide expressions: ONNX's Cast.
//
// Storage types are those of tensor_type.h: floats of at most 8 bits, held as their code in a byte,
// and integers of 4 and 2 bits, held as their value in a byte. All arithmetic here is on integers,
// but for one strict addition, so that it holds whatever the target does to subnormal floats.
#pragma once

#include <Halide.h>

#include "ops/base/small_float.h"

namespace frit {

/// The value of `code`, of the small float type `from`, in float32. Exact.
Halide::Expr small_float_decoded(DType from, const Halide::Expr& code);

/// The code of `x`, a float32 or float64, as small_float_code of ops/base/small_float.h.
Halide::Expr small_float_encoded(DType to, const Halide::Expr& x, SmallFloatCast how);

/// ONNX's Cast of `x`, stored as a `from`, to what is stored for a `to`. Where ONNX leaves a
/// choice: float to integer truncates, saturates and makes 0 of NaN (NUMERICS.md), but integers of
/// 4 and 2 bits keep the low bits of that int32.
Halide::Expr cast_element(DType from, DType to, const Halide::Expr& x, SmallFloatCast how = {});

}  // namespace frit

// Element types as Halide sees them, and exact constants of them.
#pragma once

#include <Halide.h>

#include "ops/base/tensor_type.h"

namespace frit {

/// kBool is UInt(1), which Halide stores as one byte; kBF16 is BFloat(16). A storage type is the
/// byte of tensor_type.h: i4 and i2 Int(8), all others UInt(8).
Halide::Type halide_type(DType dtype);

/// `value` as an immediate of `type`; integers must be representable.
Halide::Expr constant_of(Halide::Type type, double value);
Halide::Expr constant_of(Halide::Type type, std::int64_t value);

/// An element equal to `value` as it is stored: the code of a small float.
Halide::Expr stored_constant(DType dtype, double value);

/// float16 and bfloat16 are computed in float32: the type to compute in for `type`.
Halide::Type compute_type(Halide::Type type);

/// `e` as a condition: itself when boolean, else e != 0.
Halide::Expr as_condition(const Halide::Expr& e);

}  // namespace frit

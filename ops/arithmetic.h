// Comparisons, limits, casts and integer arithmetic as ONNX means them (NUMERICS.md: NaN, casts).
//
// Halide marks float operations as free of NaN and infinities, and LLVM draws conclusions: `x == x`
// or `x < inf` on the result of such an operation is always true. Hence three habits here:
// comparisons are strict one by one (Halide's strict_float() makes all that is below it strict, so
// it would lose multiply-adds and compute the operand twice); a NaN falls to the arm of `select`
// that keeps it; where a test for NaN or infinity is needed, it looks at the bits as an integer.
#pragma once

#include <Halide.h>

namespace frit::math {

using Halide::Expr;

/// a < b, a <= b, a == b, IEEE: false where either is NaN. Operands are computed as they are.
Expr strict_less(const Expr& a, const Expr& b);
Expr strict_less_equal(const Expr& a, const Expr& b);
Expr strict_equal(const Expr& a, const Expr& b);
/// a + b, a - b, a * b, apart from what is around: neither reassociated nor fused.
Expr strict_add(const Expr& a, const Expr& b);
Expr strict_sub(const Expr& a, const Expr& b);
Expr strict_mul(const Expr& a, const Expr& b);
/// 1 - x for a weight: LLVM makes v - x v of (1 - x) v, which has no value where v is infinite.
Expr complement(const Expr& x);
/// a / b of floats, correctly rounded whatever b is.
Expr strict_div(const Expr& a, const Expr& b);
/// By the bits, hence whatever made x. Floats of 32 and 64 bits.
Expr is_nan(const Expr& x);
Expr is_finite(const Expr& x);

/// Larger, smaller of two. Both propagate NaN. Three instructions more where neither is a constant.
Expr maximum(const Expr& a, const Expr& b);
Expr minimum(const Expr& a, const Expr& b);

/// max(x, lo) and min(x, hi) in one instruction: NaN where x is; a NaN bound is ignored.
Expr clamp_low(const Expr& x, const Expr& lo);
Expr clamp_high(const Expr& x, const Expr& hi);

/// max(x, 0), propagates NaN.
Expr relu(const Expr& x);

/// |x| in the type of x (the lowest integer wraps to itself).
Expr absolute(const Expr& x);
/// -1, 0, 1; NaN for NaN.
Expr sign(const Expr& x);

/// Floats: a / b. Integers: towards zero, x / 0 = 0, lowest / -1 wraps; never traps.
Expr divide(const Expr& a, const Expr& b);

/// ONNX Cast. Float to integer truncates, saturates, NaN gives 0; integers wrap; to bool is != 0.
Expr convert(Halide::Type to, const Expr& x);

/// Integers in the order of the floats x, of the same width. NaN is above +inf when `nan_highest`,
/// else below -inf: an integer maximum or minimum of keys propagates NaN, and is associative, so
/// that a schedule may split it.
Expr order_key(const Expr& x, bool nan_highest);
Expr from_order_key(const Expr& key);
/// Key of -inf, which no float is below, for a maximum; of +inf for a minimum.
Expr order_key_identity(Halide::Type key, bool of_maximum);

}  // namespace frit::math

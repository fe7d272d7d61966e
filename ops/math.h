// Elementary functions as Halide expressions that vectorise on every target.
#pragma once

#include <Halide.h>

namespace frit::math {

using Halide::Expr;

Expr exp(const Expr& x);
Expr log(const Expr& x);
Expr tanh(const Expr& x);
Expr sigmoid(const Expr& x);
Expr erf(const Expr& x);
Expr expm1(const Expr& x);
Expr softplus(const Expr& x);
Expr gelu(const Expr& x, bool tanh_form);
Expr absolute(const Expr& x);
Expr sign(const Expr& x);
Expr pow(const Expr& x, const Expr& y);

/// x^power where a few multiplications do, else undefined.
Expr pow_constant(const Expr& x, double power);

/// Integers: towards zero, x / 0 = 0.
Expr divide(const Expr& a, const Expr& b);

/// Both propagate NaN.
Expr maximum(const Expr& a, const Expr& b);
Expr minimum(const Expr& a, const Expr& b);

/// max(x, 0), propagates NaN.
Expr relu(const Expr& x);

/// NaN where x is NaN; hi where lo > hi.
Expr clamp_low(const Expr& x, const Expr& lo);
Expr clamp_high(const Expr& x, const Expr& hi);

/// ONNX casts: float to integer truncates, saturates, NaN gives 0; to bool is != 0.
Expr convert(Halide::Type to, const Expr& x);

}  // namespace frit::math

// Elementary functions as Halide expressions that vectorise on every target.
#pragma once

#include <Halide.h>

#include "ops/arithmetic.h"

namespace frit::math {

Expr exp(const Expr& x);
/// For x <= 0 or NaN: one instruction less.
Expr exp_of_negative(const Expr& x);
Expr exp2(const Expr& x);
Expr expm1(const Expr& x);
Expr log(const Expr& x);
Expr tanh(const Expr& x);
Expr sigmoid(const Expr& x);
Expr softplus(const Expr& x);
Expr erf(const Expr& x);
Expr gelu(const Expr& x, bool tanh_form);
Expr pow(const Expr& x, const Expr& y);

/// x^power where a few operations do, else undefined.
Expr pow_constant(const Expr& x, double power);

}  // namespace frit::math

// Elementary functions as Halide expressions that vectorise on every target.
//
// float32 is our own: polynomials, integer exponents, no calls. NaN gives NaN; infinities as IEEE
// and ONNX say (exp(-inf) = 0, sigmoid(inf) = 1, tanh(-inf) = -1, log(0) = -inf, log(-1) = NaN).
// float64 calls the C library. Figures: units in the last place over a sweep of all exponents on
// AVX-512, AVX2 and SSE4.1 (tests/ops/math_test.cpp, which runs special values on AArch64 too);
// instructions and time per element of one vectorised loop, loads and stores included, on one
// core of Zen 5 with AVX-512.
//
//   function  ulp   instructions  ns      function  ulp   instructions  ns
//   exp       1.10  27            0.13    tanh      3.41  23            0.10
//   exp2      1.15  24            0.11    erf       3.89  25            0.12
//   expm1     1.64  23            0.12    sigmoid   2.28  26            0.14
//   log       1.55  33            0.15    softplus  3.79  35            0.23
//
// Of the circular and hyperbolic functions, ulp only: sin 1.49, cos 1.49, tan 3.30 (of any
// argument), asin 2.26, acos 1.24, atan 1.65, sinh 1.59, cosh 1.30, asinh 2.13, acosh 2.42,
// atanh 2.06.
#pragma once

#include <Halide.h>

#include "ops/arithmetic.h"

namespace frit::math {

/// Subnormal results are right too.
Expr exp(const Expr& x);
/// e^x for x <= 0 or NaN, four instructions less; results below 2^-126 are 0. For softmax.
Expr exp_of_negative(const Expr& x);
Expr exp2(const Expr& x);
/// e^x - 1 without cancellation.
Expr expm1(const Expr& x);
Expr log(const Expr& x);
/// For u >= 0 or NaN.
Expr log1p(const Expr& u);
Expr tanh(const Expr& x);
Expr sinh(const Expr& x);
Expr cosh(const Expr& x);
Expr asinh(const Expr& x);
Expr acosh(const Expr& x);
Expr atanh(const Expr& x);
/// Any argument, also huge ones, within the same error. NaN for an infinite one.
Expr sin(const Expr& x);
Expr cos(const Expr& x);
Expr tan(const Expr& x);
Expr asin(const Expr& x);
Expr acos(const Expr& x);
Expr atan(const Expr& x);
/// 1 / (1 + e^-x); results below 2^-126 are 0.
Expr sigmoid(const Expr& x);
/// log(1 + e^x) without overflow or cancellation.
Expr softplus(const Expr& x);
Expr erf(const Expr& x);

/// x/2 (1 + erf(x / sqrt 2)), or x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))): as ONNX writes it,
/// so the error is a few ulp of x, not of the result, where that is small.
Expr gelu(const Expr& x, bool tanh_form);

/// x^y in the type of x, as C's pow (1 for x = 1 or y = 0, NaN for a negative x and a fraction).
/// float32: within 1 ulp, by double arithmetic. Integers: exact where it fits, wraps beyond;
/// negative powers truncate towards 0.
Expr pow(const Expr& x, const Expr& y);
/// x^power where a few operations do (1, 2, 3, 4, -1, -2, 0.5, -0.5), else undefined.
Expr pow_constant(const Expr& x, double power);

}  // namespace frit::math

#include "ops/math.h"

#include <limits>

#include "ops/math_parts.h"

// The float32 forms share a few devices.
//
// Rounding to an integer n is `(x + kRound) - kRound`: plain operations on every target, and the
// low bits of x + kRound are n, ready to be shifted into an exponent.
// The argument is reduced by ln 2 in two parts, the first with so few bits that n * part is exact;
// that subtraction is strict, or reassociation would join the parts (64 ulp without FMA).
// Polynomials and rational functions are minimax fits of the relative error.
namespace frit::math {

using Halide::cast;
using Halide::select;
using Halide::Type;

namespace {

constexpr double kLog2E = 1.4426950408889634;
constexpr double kLn2 = 0.69314718055994531;
constexpr double kLn2High = 0.693359375;  // 10 bits
constexpr double kLn2Low = kLn2 - kLn2High;
constexpr double kRound = 12582912.0;  // 1.5 * 2^23: units in the last place are 1

/// x = n ln 2 + rest.
struct Reduced {
  Expr shifted;  ///< n + kRound + bias: its low bits are n + bias
  Expr n;        ///< as a float
  Expr rest;
};

Reduced reduce_by_ln2(const Expr& x, int bias) {
  Reduced r;
  r.shifted = x * f32(kLog2E) + f32(kRound + bias);
  r.n = strict_sub(r.shifted, f32(kRound + bias));
  r.rest = strict_sub(x, r.n * f32(kLn2High)) - r.n * f32(kLn2Low);
  return r;
}

/// p * 2^n for n in [-150, 128] (bias 0): applied in halves, so that neither an intermediate
/// overflows nor a subnormal result is lost; strictly, so that an infinite result stays infinite
/// when a reader multiplies it by a small number.
Expr scale(const Expr& p, const Expr& shifted) {
  const Expr half = (bits_of(shifted) << 22) & Expr(~0x7fffff);  // floor(n / 2) as an exponent
  const Expr rest = (bits_of(shifted) << 23) - half;
  const Expr one = Expr(0x3f800000);
  return strict_mul(strict_mul(p, from_bits(half + one)), from_bits(rest + one));
}

// e^r for |r| <= ln2 / 2; 0.05 ulp before rounding.
Expr exp_core(const Expr& r) {
  return polynomial(r, {1.0, 1.0, 0.49999994, 0.16666520, 0.041668393, 0.0083687808, 0.0013814465});
}

/// e^x / 2 for x >= 0 or NaN; infinite only where that is.
Expr half_exp(const Expr& x) {
  const Reduced r = reduce_by_ln2(clamp_high(x, f32(90.0)), -1);
  return scale(exp_core(r.rest), r.shifted);
}

/// sign(x) for |x| > limit, else y.
Expr saturate(const Expr& x, double limit, const Expr& y) {
  const Expr one = from_bits((bits_of(x) & Expr(std::numeric_limits<int>::min())) | 0x3f800000);
  return select(strict_less(f32(limit), Halide::abs(x)), one, y);
}

/// 2u / (1 + u^2) for u = p / q, the tangent of twice the angle: it damps the rounding errors of u
/// where the result nears 1, and takes one division. p and q carry a common factor that puts them
/// below a power of two for small arguments, where they round best (4.7 ulp become 2.8).
Expr doubled(const Expr& p, const Expr& q) { return ((p + p) * q) / (p * p + q * q); }

}  // namespace

// Below -104, e^x rounds to 0; above 89, to inf.
Expr exp(const Expr& x) {
  if (!is_single(x)) return Halide::exp(x);
  const Reduced r = reduce_by_ln2(clamp_high(clamp_low(x, f32(-104.0)), f32(89.0)), 0);
  return scale(exp_core(r.rest), r.shifted);
}

Expr exp_of_negative(const Expr& x) {
  if (!is_single(x)) return Halide::exp(x);
  const Reduced r = reduce_by_ln2(x, 127);
  const Expr value = exp_core(r.rest) * from_bits(bits_of(r.shifted) << 23);
  return select(strict_less(x, f32(-87.336544)), f32(0.0), value);
}

Expr exp2(const Expr& x) {
  if (!is_single(x)) return extern_double("exp2", {x});
  const Expr bounded = clamp_high(clamp_low(x, f32(-150.0)), f32(128.0));
  const Expr shifted = bounded + f32(kRound);
  const Expr rest = strict_sub(bounded, strict_sub(shifted, f32(kRound)));
  return scale(polynomial(rest, {1.0, 0.693147182, 0.240226477, 0.0555033237, 0.00961843785,
                                 0.00133989006, 0.000153533401}),
               shifted);
}

// 2^n e^r - 1 = 2^n (e^r - 1) + (2^n - 1): the last is exact for n >= -24.
Expr expm1(const Expr& x) {
  if (!is_single(x)) return extern_double("expm1", {x});
  const Expr bounded = clamp_high(clamp_low(x, f32(-17.5)), f32(89.0));
  const Reduced r = reduce_by_ln2(bounded, 126);
  const Expr q =
      polynomial(r.rest, {0.49999997, 0.166665435, 0.0416672006, 0.00836658012, 0.00138825073});
  const Expr core = r.rest * r.rest * q + r.rest;
  // n reaches 128, one more than an exponent holds: half of it, doubled at the end.
  const Expr half_power = from_bits(bits_of(r.shifted) << 23);
  const Expr half = half_power * core + strict_sub(half_power, f32(0.5));
  return half + half;
}

// Below 1 the odd series, above e^|x|/2 - e^-|x|/2.
Expr sinh(const Expr& x) {
  if (!is_single(x)) return Halide::sinh(x);
  const Expr size = Halide::abs(x);
  const Expr half = half_exp(size);
  const Expr sign = bits_of(x) & Expr(std::numeric_limits<int>::min());
  const Expr large = from_bits(bits_of(half - f32(0.25) / half) | sign);
  const Expr t = x * x;
  const Expr small =
      x + x * t * polynomial(t, {0.166666672, 0.0083333496, 0.000198361595, 2.81695131e-06});
  return select(strict_less(f32(1.0), size), large, small);
}

Expr cosh(const Expr& x) {
  if (!is_single(x)) return Halide::cosh(x);
  const Expr half = half_exp(Halide::abs(x));
  return half + f32(0.25) / half;
}

// x = 2^n (1 + f) with 1 + f in [sqrt(1/2), sqrt 2): n ln2 + f - f^2/2 + f^3 q(f).
Expr log(const Expr& x) {
  if (!is_single(x)) return Halide::log(x);
  const Expr tiny = strict_less(x, f32(0x1p-126));
  const Expr bits = bits_of(select(tiny, x * f32(0x1p23), x));
  const Expr above = bits - 0x3f3504f3;  // over sqrt(1/2)
  const Expr exponent = above & Expr(~0x7fffff);
  const Expr f = from_bits(bits - exponent) - f32(1.0);
  const Expr n = cast<float>(exponent >> 23) - select(tiny, f32(23.0), f32(0.0));
  const Expr q = polynomial(f, {0.333333313, -0.250008225, 0.200012267, -0.166233569, 0.142017618,
                                -0.131601945, 0.127615497, -0.0763442963});
  const Expr square = f * f;
  const Expr value = n * f32(kLn2) + (f + square * (f * q - f32(0.5)));
  // By the bits: 1 to 0x7f7fffff is above 0 and finite, 0x7f800000 inf, more NaN, less negative.
  const Expr x_bits = bits_of(x);
  const Expr positive = x_bits > 0, finite = x_bits < 0x7f800000;
  const Expr zero = (x_bits & Expr(0x7fffffff)) == 0;
  return select(positive && finite, value, positive, x, zero, f32(-kInf), f32(kNaN));
}

// tanh(x / 2) = x P(x^2) / Q(x^2) below 9.02, from where tanh(x) rounds to 1.
Expr tanh(const Expr& x) {
  if (!is_single(x)) return Halide::tanh(x);
  const Expr t = x * x;
  const Expr p = x * polynomial(t, {0.8875, 0.0251642372, 6.81269012e-05, -6.14711126e-08});
  const Expr q = polynomial(t, {1.775, 0.198244989, 0.00186513748});
  return saturate(x, 9.02, doubled(p, q));
}

// With z = e^-|x| nothing overflows, and a negative x keeps its relative accuracy.
Expr sigmoid(const Expr& x) {
  const Expr one = number(x, 1.0);
  const Expr z = exp_of_negative(-Halide::abs(x));
  return select(strict_less(x, number(x, 0.0)), z, one) / (one + z);
}

// max(x, 0) + log(1 + e^-|x|), the logarithm as z P(z) / Q(z) on [0, 1].
Expr softplus(const Expr& x) {
  const Expr z = exp_of_negative(-Halide::abs(x));
  if (!is_single(x)) return relu(x) + extern_double("log1p", {z});
  const Expr p = polynomial(z, {1.0, 1.06621861, 0.238157615, 0.00341728469});
  const Expr q = polynomial(z, {1.0, 1.5662185, 0.687936425, 0.0752873197});
  return relu(x) + z * p / q;
}

// erf(x) = 2u / (1 + u^2) with u = x P(x^2) / Q(x^2) below 3.93, from where erf rounds to 1.
Expr erf(const Expr& x) {
  if (!is_single(x)) return extern_double("erf", {x});
  const Expr t = x * x;
  const Expr p =
      x * polynomial(t, {0.987332046, 0.141154289, 0.0174917653, 0.000558672822, -5.96835525e-06});
  const Expr q = polynomial(t, {1.75000048, 0.276480168, 0.0625739247, 0.00398093881});
  return saturate(x, 3.93, doubled(p, q));
}

Expr gelu(const Expr& x, bool tanh_form) {
  const Expr half_x = number(x, 0.5) * x, one = number(x, 1.0);
  // strict: times an infinite factor that is fused behind, a + a erf were inf - inf
  if (!tanh_form) {
    return half_x * math::strict_add(one, math::erf(x * number(x, 0.70710678118654752)));
  }
  const Expr cubic =
      x * x * number(x, 0.79788456080286536 * 0.044715) + number(x, 0.79788456080286536);
  return half_x * math::strict_add(one, math::tanh(x * cubic));
}

Expr pow_constant(const Expr& x, double power) {
  const Expr one = number(x, 1.0);
  if (power == 1.0) return x;
  if (power == 2.0) return x * x;
  if (power == 3.0) return x * x * x;
  if (power == 4.0) return (x * x) * (x * x);
  if (!x.type().is_float()) return Expr();
  if (power == -1.0) return one / x;
  if (power == -2.0) return one / (x * x);
  if (power != 0.5 && power != -0.5) return Expr();
  // Where pow and sqrt differ: -inf and -0 count as positive.
  const Type integer = Halide::Int(x.type().bits());
  const Expr bits = Halide::reinterpret(integer, x);
  const Expr infinity = Halide::reinterpret(integer, number(x, -kInf));
  const Expr unsigned_x = Halide::reinterpret(x.type(), bits & integer.max());
  const Expr root = Halide::sqrt(select(bits == integer.min() || bits == infinity, unsigned_x, x));
  return power == 0.5 ? root : one / root;
}

}  // namespace frit::math

// math::pow: float32 by way of double polynomials, double by libm, integers by squaring.
#include <cmath>
#include <limits>

#include "ops/halide_type.h"
#include "ops/math.h"

namespace frit::math {

using Halide::cast;
using Halide::select;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Expr f64(double value) { return Expr(value); }

/// log2 of a double that is 0, normal or inf, never negative; 40 good bits.
Expr log2_double(const Expr& x) {
  const Expr bits = Halide::reinterpret<std::int64_t>(x);
  const Expr above = bits - Expr(std::int64_t{0x3fe6a09e667f3bcd});  // over sqrt(1/2)
  const Expr exponent = above & Expr(~((std::int64_t{1} << 52) - 1));
  const Expr m = Halide::reinterpret<double>(bits - exponent);
  const Expr n = cast<double>(exponent >> 52);
  // log(m) = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172
  const Expr s = (m - f64(1.0)) / (m + f64(1.0)), t = s * s;
  Expr series = f64(1.0 / 15.0);
  for (int k = 13; k >= 1; k -= 2) series = series * t + f64(1.0 / k);
  const Expr value = n + s * series * f64(2.0 * 1.4426950408889634);
  const Expr infinity = Expr(std::int64_t{0x7ff0000000000000});
  return select(bits == Expr(std::int64_t{0}), f64(-kInf), bits == infinity, f64(kInf), value);
}

/// 2^t rounded to float32 by the caller: t is clamped to where that is 0 or inf; 36 good bits.
Expr exp2_double(const Expr& t) {
  const Expr bounded = clamp_high(clamp_low(t, f64(-200.0)), f64(200.0));
  const Expr round = f64(6755399441055744.0);  // 1.5 * 2^52
  const Expr shifted = bounded + round;
  const Expr u = strict_sub(bounded, strict_sub(shifted, round)) * f64(0.69314718055994531);
  Expr series = f64(1.0);
  for (int k = 11; k >= 1; --k) series = series * u * f64(1.0 / k) + f64(1.0);
  const Expr shift = Halide::reinterpret<std::int64_t>(shifted) << 52;
  return Halide::reinterpret<double>(Halide::reinterpret<std::int64_t>(series) + shift);
}

// Tests for NaN, infinity and -0 look at the bits: see arithmetic.h.
Expr pow_single(const Expr& x, const Expr& y) {
  const Expr bits = Halide::reinterpret<int>(x);
  const Expr size_bits = bits & Expr(0x7fffffff);
  const Expr size = cast<double>(Halide::reinterpret<float>(size_bits));
  const Expr power = cast<double>(y);
  const Expr no_power = (Halide::reinterpret<int>(y) & Expr(0x7fffffff)) == 0;
  const Expr product = log2_double(size) * power;
  // 1 to any power, and anything to the power 0, is 1, NaN and inf included.
  const Expr flat = size_bits == Expr(0x3f800000) || no_power;
  const Expr value = cast<float>(exp2_double(select(flat, f64(0.0), product)));

  const Expr whole = strict_equal(Halide::floor(power), power);
  const Expr even = strict_equal(Halide::floor(power * f64(0.5)) * f64(2.0), power);
  const Expr negative = bits < 0;
  const Expr finite = size_bits < Expr(0x7f800000);
  const Expr no_root = negative && finite && size_bits != 0 && !whole;
  const Expr sure = bits == Expr(0x3f800000) || no_power;
  const Expr lost = math::is_nan(x) || math::is_nan(y) || no_root;
  return select(sure, Expr(1.0F), lost, Expr(std::numeric_limits<float>::quiet_NaN()),
                negative && whole && !even, -value, value);
}

Expr pow_integer(const Expr& x, const Expr& y) {
  const Expr one = constant_of(x.type(), std::int64_t{1});
  Expr result = one, square = x;
  const int steps = y.type().bits() < 32 ? y.type().bits() : 32;
  for (int bit = 0; bit < steps; ++bit) {
    const Expr take = ((y >> bit) & constant_of(y.type(), std::int64_t{1})) !=
                      constant_of(y.type(), std::int64_t{0});
    result = select(take, result * square, result);
    square = square * square;
  }
  if (y.type().is_uint()) return result;
  // 1 / x^-y towards zero: only 1 and -1 leave anything.
  const Expr zero = constant_of(x.type(), std::int64_t{0});
  const Expr odd = (y & constant_of(y.type(), std::int64_t{1})) != 0;
  Expr inverse = select(x == one, one, zero);
  if (x.type().is_int()) inverse = select(x == -one, select(odd, -one, one), inverse);
  return select(y < constant_of(y.type(), std::int64_t{0}), inverse, result);
}

}  // namespace

Expr pow(const Expr& x, const Expr& y) {
  if (!x.type().is_float() && !y.type().is_float()) return pow_integer(x, y);
  if (x.type() == Halide::Float(32)) return pow_single(x, cast<float>(y));
  return convert(x.type(), Halide::pow(cast<double>(x), cast<double>(y)));
}

}  // namespace frit::math

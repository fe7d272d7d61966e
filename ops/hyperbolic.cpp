// log1p and the inverses of sinh, cosh, tanh, which stand on it. sinh and cosh are in math.cpp,
// beside the exponential.
#include "ops/math_parts.h"

namespace frit::math {

using Halide::select;

namespace {

constexpr double kLn2 = 0.69314718055994531;

Expr sign_bit(const Expr& x) { return bits_of(x) & Expr(std::numeric_limits<int>::min()); }
Expr with_sign(const Expr& size, const Expr& sign) { return from_bits(bits_of(size) | sign); }

}  // namespace

// log(1 + u) = log(w) + c / w, with w = 1 + u rounded and c what the rounding lost.
Expr log1p(const Expr& u) {
  if (!is_single(u)) return extern_double("log1p", {u});
  const Expr one = f32(1.0);
  const Expr w = strict_add(one, u);
  const Expr c = strict_sub(u, strict_sub(w, one));
  const Expr large = strict_less(f32(0x1p20), u);
  return math::log(w) + select(large, f32(0.0), c / w);
}

// log1p(|x| + x^2 / (1 + sqrt(1 + x^2))); log(2 |x|) above 2^12, before the square overflows.
Expr asinh(const Expr& x) {
  if (!is_single(x)) return Halide::asinh(x);
  const Expr size = Halide::abs(x);
  const Expr large = strict_less(f32(0x1p12), size);
  const Expr t = select(large, f32(0.0), size), square = t * t;
  const Expr u = t + square / (f32(1.0) + Halide::sqrt(f32(1.0) + square));
  const Expr value = select(large, math::log(size) + f32(kLn2), math::log1p(u));
  return select(math::is_nan(x), x, with_sign(value, sign_bit(x)));
}

// log1p(u + sqrt(u (u + 2))), u = x - 1; log(2 x) above 2^12. NaN below 1.
Expr acosh(const Expr& x) {
  if (!is_single(x)) return Halide::acosh(x);
  const Expr large = strict_less(f32(0x1p12), x);
  const Expr u = select(large, f32(0.0), x - f32(1.0));
  const Expr value =
      select(large, math::log(x) + f32(kLn2), math::log1p(u + Halide::sqrt(u * (u + f32(2.0)))));
  return select(strict_less_equal(f32(1.0), x), value, f32(kNaN));
}

// log1p(2 |x| / (1 - |x|)) / 2. Infinite at 1, NaN beyond.
Expr atanh(const Expr& x) {
  if (!is_single(x)) return Halide::atanh(x);
  const Expr size = Halide::abs(x);
  const Expr inside = strict_less(size, f32(1.0));
  const Expr t = select(inside, size, f32(0.0)), twice = t + t;
  const Expr value = math::log1p(twice + twice * t / (f32(1.0) - t)) * f32(0.5);
  const Expr outside = select(strict_equal(size, f32(1.0)), f32(kInf), f32(kNaN));
  return with_sign(select(inside, value, outside), sign_bit(x));
}

}  // namespace frit::math

#include "ops/math.h"

#include <cmath>

#include "ops/halide_type.h"

namespace frit::math {

using Halide::cast;
using Halide::select;
using Halide::strict_float;
using Halide::Type;

namespace {
Expr zero_like(const Expr& x) { return Halide::Internal::make_zero(x.type()); }
Expr one_like(const Expr& x) { return Halide::Internal::make_one(x.type()); }
}  // namespace

Expr exp(const Expr& x) { return Halide::exp(x); }
Expr log(const Expr& x) { return Halide::log(x); }
Expr tanh(const Expr& x) { return Halide::tanh(x); }
Expr sigmoid(const Expr& x) { return one_like(x) / (one_like(x) + math::exp(-x)); }
Expr erf(const Expr& x) { return Halide::erf(x); }
Expr pow(const Expr& x, const Expr& y) {
  const Type in = x.type().is_float() ? x.type() : Halide::Float(64);
  return convert(x.type(), Halide::pow(cast(in, x), cast(in, y)));
}
Expr pow_constant(const Expr& x, double power) {
  if (power == 1.0) return x;
  if (power == 2.0) return x * x;
  if (power == 3.0) return x * x * x;
  if (power == 4.0) return (x * x) * (x * x);
  if (power == -1.0 && x.type().is_float()) return one_like(x) / x;
  return Expr();
}

Expr divide(const Expr& a, const Expr& b) {
  if (a.type().is_float()) return a / b;
  const Expr zero = zero_like(a), one = one_like(a);
  if (a.type().is_uint()) {
    return select(b == zero, zero, Halide::div_round_to_zero(a, Halide::max(b, one)));
  }
  // -1 apart: the lowest integer divided by it traps on x86; here it wraps.
  const Expr plain = b != zero && b != -one;
  const Expr quotient = Halide::div_round_to_zero(a, select(plain, b, one));
  return select(plain, quotient, select(b == zero, zero, zero - a));
}
Expr expm1(const Expr& x) { return math::exp(x) - one_like(x); }
Expr softplus(const Expr& x) { return relu(x) + math::log(one_like(x) + math::exp(-absolute(x))); }
Expr gelu(const Expr& x, bool tanh_form) {
  const Expr half = constant_of(x.type(), 0.5);
  if (!tanh_form)
    return half * x * (one_like(x) + math::erf(x * constant_of(x.type(), 0.70710678118654752)));
  const Expr inner = constant_of(x.type(), 0.79788456080286536) *
                     (x + constant_of(x.type(), 0.044715) * x * x * x);
  return half * x * (one_like(x) + math::tanh(inner));
}
Expr absolute(const Expr& x) { return x.type().is_uint() ? x : cast(x.type(), Halide::abs(x)); }
Expr sign(const Expr& x) {
  const Expr negative = x.type().is_uint() ? x : select(x < zero_like(x), -one_like(x), x);
  return select(x > zero_like(x), one_like(x), negative);
}

Expr maximum(const Expr& a, const Expr& b) {
  if (!a.type().is_float()) return Halide::max(a, b);
  return select(Halide::is_nan(b), b, select(strict_float(a < b), b, a));
}
Expr minimum(const Expr& a, const Expr& b) {
  if (!a.type().is_float()) return Halide::min(a, b);
  return select(Halide::is_nan(b), b, select(strict_float(b < a), b, a));
}
Expr relu(const Expr& x) { return clamp_low(x, zero_like(x)); }
Expr clamp_low(const Expr& x, const Expr& lo) { return select(strict_float(x < lo), lo, x); }
Expr clamp_high(const Expr& x, const Expr& hi) { return select(strict_float(x > hi), hi, x); }

Expr convert(Type to, const Expr& x) {
  const Type from = x.type();
  if (from == to) return x;
  if (to.is_bool()) return as_condition(x);
  if (!from.is_float() || to.is_float()) return cast(to, x);
  const Expr wide = cast(compute_type(from), x);
  const Type wide_type = wide.type();
  // The largest integer may round up to 2^bits, so the bound itself already saturates.
  const double top = to.is_int() ? std::ldexp(1.0, to.bits() - 1) : std::ldexp(1.0, to.bits());
  const double low = to.is_int() ? -top : 0.0;
  const Expr inside =
      strict_float(wide > constant_of(wide_type, low) && wide < constant_of(wide_type, top));
  const Expr safe = select(inside, wide, zero_like(wide));
  return select(inside, cast(to, safe), strict_float(wide >= constant_of(wide_type, top)), to.max(),
                strict_float(wide <= constant_of(wide_type, low)), to.min(),
                zero_like(cast(to, safe)));
}

}  // namespace frit::math

#include "ops/arithmetic.h"

#include <cmath>
#include <limits>
#include <utility>

#include "ops/halide_type.h"

namespace frit::math {

using Halide::cast;
using Halide::select;
using Halide::Type;
using Halide::Internal::Call;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Expr zero_like(const Expr& x) { return Halide::Internal::make_zero(x.type()); }
Expr one_like(const Expr& x) { return Halide::Internal::make_one(x.type()); }

bool known_number(const Expr& x) {
  const std::optional<double> value = Halide::Internal::as_const_float(x);
  return value && !std::isnan(*value);
}

// Sign and magnitude to two's complement and back.
Expr flip_negative(const Expr& bits) {
  const Type type = bits.type();
  return bits ^ ((bits >> (type.bits() - 1)) & type.max());
}

// By its bits: Halide joins the casts from bfloat16 to float32 to float16, which makes infinity of
// NaN.
Expr widened(const Expr& x) {
  const Expr bits = Halide::reinterpret(Halide::UInt(16), x);
  return Halide::reinterpret(Halide::Float(32), cast(Halide::UInt(32), bits) << 16);
}

Expr intrinsic(Type type, Call::IntrinsicOp op, const Expr& a, const Expr& b) {
  return Call::make(type, op, {a, b}, Call::PureIntrinsic);
}

}  // namespace

// Integers have nothing to be strict about, and no such intrinsics.
Expr strict_less(const Expr& a, const Expr& b) {
  if (!a.type().is_float()) return a < b;
  return intrinsic(Halide::Bool(), Call::strict_lt, a, b);
}
Expr strict_less_equal(const Expr& a, const Expr& b) {
  if (!a.type().is_float()) return a <= b;
  // Halide 21 makes !(b < a) of strict_le, which is true of a NaN
  return strict_less(a, b) || strict_equal(a, b);
}
Expr strict_equal(const Expr& a, const Expr& b) {
  if (!a.type().is_float()) return a == b;
  return intrinsic(Halide::Bool(), Call::strict_eq, a, b);
}
Expr strict_add(const Expr& a, const Expr& b) {
  return intrinsic(a.type(), Call::strict_add, a, b);
}
Expr strict_sub(const Expr& a, const Expr& b) {
  return intrinsic(a.type(), Call::strict_sub, a, b);
}
Expr strict_mul(const Expr& a, const Expr& b) {
  return intrinsic(a.type(), Call::strict_mul, a, b);
}

// By halves: of (1 - x) v and (1 + x) v LLVM makes v - x v and v + x v also where the sum is strict.
Expr complement(const Expr& x) {
  const Expr half = constant_of(x.type(), 0.5);
  return strict_add(strict_sub(half, x), half);
}

Expr strict_div(const Expr& a, const Expr& b) {
  return intrinsic(a.type(), Call::strict_div, a, b);
}

namespace {
// |x| and inf as integers, which are in the order of the floats.
std::pair<Expr, Expr> magnitude_bits(const Expr& x) {
  const Type bits = Halide::Int(x.type().bits());
  return {Halide::reinterpret(bits, x) & bits.max(),
          Halide::reinterpret(bits, constant_of(x.type(), kInf))};
}
}  // namespace

Expr is_nan(const Expr& x) {
  const auto [size, infinity] = magnitude_bits(x);
  return size > infinity;
}

Expr is_finite(const Expr& x) {
  const auto [size, infinity] = magnitude_bits(x);
  return size < infinity;
}

Expr maximum(const Expr& a, const Expr& b) {
  if (!a.type().is_float()) return Halide::max(a, b);
  if (known_number(b)) return clamp_low(a, b);
  if (known_number(a)) return clamp_low(b, a);
  return select(math::is_nan(b), b, clamp_low(a, b));
}

Expr minimum(const Expr& a, const Expr& b) {
  if (!a.type().is_float()) return Halide::min(a, b);
  if (known_number(b)) return clamp_high(a, b);
  if (known_number(a)) return clamp_high(b, a);
  return select(math::is_nan(b), b, clamp_high(a, b));
}

Expr clamp_low(const Expr& x, const Expr& lo) {
  if (!x.type().is_float()) return Halide::max(x, lo);
  return select(strict_less(x, lo), lo, x);
}

Expr clamp_high(const Expr& x, const Expr& hi) {
  if (!x.type().is_float()) return Halide::min(x, hi);
  return select(strict_less(hi, x), hi, x);
}

Expr relu(const Expr& x) { return clamp_low(x, zero_like(x)); }

Expr absolute(const Expr& x) { return x.type().is_uint() ? x : cast(x.type(), Halide::abs(x)); }

Expr sign(const Expr& x) {
  const Expr zero = zero_like(x), one = one_like(x);
  if (x.type().is_uint()) return Halide::min(x, one);
  if (x.type().is_int()) return select(x > zero, one, select(x < zero, -one, zero));
  return select(strict_less(zero, x), one, select(strict_less(x, zero), -one, x));
}

Expr divide(const Expr& a, const Expr& b) {
  if (a.type().is_float()) {
    // strict, since LLVM makes x of y * (x / y), and 1 of x / x: no NaN of inf / inf. A division by
    // a constant is left to become a product.
    return Halide::Internal::is_const(b) ? a / b : strict_div(a, b);
  }
  const Expr zero = zero_like(a), one = one_like(a);
  if (a.type().is_uint()) {
    return select(b == zero, zero, Halide::div_round_to_zero(a, Halide::max(b, one)));
  }
  // -1 apart: the lowest integer divided by it traps on x86.
  const Expr plain = b != zero && b != -one;
  const Expr quotient = Halide::div_round_to_zero(a, select(plain, b, one));
  return select(plain, quotient, select(b == zero, zero, zero - a));
}

Expr convert(Type to, const Expr& x) {
  const Type from = x.type();
  if (from == to) return x;
  if (to.is_bool()) return as_condition(x);
  if (!from.is_float()) return cast(to, x);
  const Expr wide = from.is_bfloat() ? widened(x) : cast(compute_type(from), x);
  if (to.is_float()) return cast(to, wide);
  const auto limit = [&](double value) { return constant_of(wide.type(), value); };
  // 2^bits is a float, the largest integer below it may not be.
  const double top = std::ldexp(1.0, to.is_int() ? to.bits() - 1 : to.bits());
  const double low = to.is_int() ? -top : 0.0;
  const Expr inside = strict_less(limit(low), wide) && strict_less(wide, limit(top));
  const Expr truncated = cast(to, select(inside, wide, zero_like(wide)));
  return select(math::is_nan(wide), zero_like(truncated),       //
                strict_less_equal(limit(top), wide), to.max(),  //
                strict_less_equal(wide, limit(low)), to.min(), truncated);
}

Expr order_key(const Expr& x, bool nan_highest) {
  const Type key = Halide::Int(x.type().bits());
  const Expr ordered = flip_negative(Halide::reinterpret(key, x));
  // The quiet NaN, as arithmetic makes it: rounding to bfloat16 would carry out of one of all ones.
  const std::int64_t quiet = x.type().bits() == 32 ? 0x7fc00000 : 0x7ff8000000000000;
  return select(math::is_nan(x), constant_of(key, nan_highest ? quiet : ~quiet), ordered);
}

Expr from_order_key(const Expr& key) {
  return Halide::reinterpret(Halide::Float(key.type().bits()), flip_negative(key));
}

Expr order_key_identity(Type key, bool of_maximum) {
  const Type type = Halide::Float(key.bits());
  return order_key(constant_of(type, of_maximum ? -kInf : kInf), of_maximum);
}

}  // namespace frit::math

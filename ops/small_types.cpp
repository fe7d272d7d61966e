#include "ops/small_types.h"

#include <cmath>
#include <limits>

#include "ops/arithmetic.h"
#include "ops/halide_type.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::select;
using Halide::Type;
using Round = SmallFloatCast::Round;

Expr whole(Type type, std::int64_t value) { return constant_of(type, value); }

constexpr int kInfinityBits = 0x7F800000;
constexpr int kNaNBits = 0x7FC00000;

// 2^(code - 127). Code 0 is a subnormal float, 2^-127.
Expr exponent_decoded(const Expr& code) {
  const Expr wide = cast<int>(code);
  return Halide::reinterpret<float>(
      select(wide == 255, Expr(kNaNBits), wide == 0, Expr(0x00400000), wide << 23));
}

Expr exponent_encoded(const Expr& x, SmallFloatCast how) {
  const Expr size = Halide::reinterpret<int>(cast<float>(x)) & Expr(0x7FFFFFFF);
  const Expr exponent = size >> 23, rest = size & Expr(0x7FFFFF);
  // of a subnormal float, 2^-127 is the half, and what lies above it rounds to code 0 or 1
  Expr up = Halide::Internal::const_false(), up_subnormal = Halide::Internal::const_false();
  if (how.round == Round::kUp) up = rest != 0, up_subnormal = rest > 0x400000;
  if (how.round == Round::kNearest) up = rest >= 0x400000, up_subnormal = rest >= 0x600000;
  const Expr code = select(exponent == 0, cast<int>(up_subnormal), exponent + cast<int>(up));
  const Expr too_small = size<0x00400000, too_large = size> 0x7F000000;
  const Expr held = select(too_small, Expr(how.saturate ? 0 : 255), too_large,
                           Expr(how.saturate ? 254 : 255), code);
  return cast<std::uint8_t>(select(size > kInfinityBits, Expr(255), held));
}

// Sign and magnitude of a float as integers of its width.
struct Parts {
  Type type;           ///< the integer
  int mantissa, bias;  ///< of the float
  Expr negative, size;
};

Parts parts_of(const Expr& x) {
  const bool wide = x.type().bits() == 64;
  Parts parts{Halide::Int(x.type().bits()), wide ? 52 : 23, wide ? 1023 : 127, {}, {}};
  const Expr bits = Halide::reinterpret(parts.type, x);
  parts.negative = bits < whole(parts.type, 0);
  parts.size = bits & parts.type.max();
  return parts;
}

// The magnitude rounded to nearest, ties to even, as a code; beyond the largest code where x is too
// large or no number.
Expr rounded_size(const SmallFloat& format, const Parts& x) {
  const int dropped = x.mantissa - format.mantissa_bits;
  const Expr odd = (x.size >> dropped) & whole(x.type, 1);
  const Expr half = whole(x.type, (std::int64_t{1} << (dropped - 1)) - 1);
  const Expr normal =
      ((x.size + half + odd) >> dropped) -
      whole(x.type, static_cast<std::int64_t>(x.bias - format.bias) << format.mantissa_bits);
  // Below the smallest normal value the unit is fixed: adding 2^mantissa of those units rounds.
  const Type real = Halide::Float(x.type.bits());
  const int unit = 1 - format.bias - format.mantissa_bits;
  const Expr magic = constant_of(real, std::ldexp(1.0, unit + x.mantissa));
  const Expr units =
      Halide::reinterpret(x.type, math::strict_add(Halide::reinterpret(real, x.size), magic)) -
      Halide::reinterpret(x.type, magic);
  const auto least = static_cast<std::int64_t>(1 - format.bias + x.bias) << x.mantissa;
  return select(x.size < whole(x.type, least), units, normal);
}

// The low `bits` of the integer x as a value of a storage type.
Expr low_bits(DType to, const Expr& x) {
  const int bits = packed_bits(to);
  if (halide_type(to).is_uint()) {
    return cast<std::uint8_t>(x) & whole(Halide::UInt(8), (1 << bits) - 1);
  }
  return (cast<std::int8_t>(x) << (8 - bits)) >> (8 - bits);
}

// As a float32 or float64 that holds it exactly, where one does.
Expr as_real(const Expr& x) {
  const Type type = x.type();
  if (type.is_float()) return cast(compute_type(type), x);
  return cast(Halide::Float(type.bits() <= 16 ? 32 : 64), x);
}

}  // namespace

Expr small_float_decoded(DType from, const Expr& code) {
  if (from == DType::kF8E8M0) return exponent_decoded(code);
  const SmallFloat& format = small_float_format(from);
  const Expr wide = cast<int>(code);
  const Expr size = wide & ((1 << format.sign_bit) - 1);
  const double unit = std::ldexp(1.0, 1 - format.bias - format.mantissa_bits);
  const Expr subnormal =
      Halide::reinterpret<int>(cast<float>(size) * Expr(static_cast<float>(unit)));
  const Expr normal = (size << (23 - format.mantissa_bits)) + Expr((127 - format.bias) << 23);
  Expr bits = select(size < (1 << format.mantissa_bits), subnormal, normal);
  if (format.infinity != 0) {
    bits = select(size == int{format.infinity}, Expr(kInfinityBits), bits);
  }
  const bool nan_above = format.negative_zero && format.nan != 0;
  if (nan_above) {
    const int last = format.infinity != 0 ? format.infinity : format.largest;
    bits = select(size > last, Expr(kNaNBits), bits);
  }
  bits = bits | ((wide >> format.sign_bit) << 31);
  if (!format.negative_zero) bits = select(wide == int{format.nan}, Expr(kNaNBits), bits);
  return Halide::reinterpret<float>(bits);
}

Expr small_float_encoded(DType to, const Expr& x, SmallFloatCast how) {
  if (to == DType::kF8E8M0) return exponent_encoded(x, how);
  const SmallFloat& format = small_float_format(to);
  const Parts parts = parts_of(x);
  const Expr size = rounded_size(format, parts);
  int beyond = format.largest;
  if (!how.saturate && format.nan != 0)
    beyond = format.infinity != 0 ? format.infinity : format.nan;
  const Type type = parts.type;
  const Expr held = select(size > whole(type, format.largest), whole(type, beyond), size);
  const Expr infinity = Halide::reinterpret(
      type, constant_of(Halide::Float(type.bits()), std::numeric_limits<double>::infinity()));
  const Expr no_number = parts.size > infinity;
  const Expr zero = whole(type, 0), sign = whole(type, 1 << format.sign_bit);
  if (!format.negative_zero) {
    const Expr code = held | select(parts.negative && held != zero, sign, zero);
    return cast<std::uint8_t>(select(no_number, whole(type, format.nan), code));
  }
  if (format.nan == 0) {
    const Expr code = held | select(parts.negative, sign, zero);
    return cast<std::uint8_t>(select(no_number, sign, code));
  }
  const Expr code = select(no_number, whole(type, format.nan), held);
  return cast<std::uint8_t>(code | select(parts.negative, sign, zero));
}

Expr cast_element(DType from, DType to, const Expr& x, SmallFloatCast how) {
  if (from == to) return x;
  const Expr value = is_small_float(from) ? small_float_decoded(from, x) : x;
  if (is_small_float(to)) return small_float_encoded(to, as_real(value), how);
  if (!is_storage_only(to)) return math::convert(halide_type(to), value);
  return low_bits(to, value.type().is_float() ? math::convert(Halide::Int(32), value) : value);
}

}  // namespace frit

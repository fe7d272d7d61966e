// sin, cos, tan and their inverses.
//
// The argument of sin, cos, tan is reduced exactly, whatever its size (Payne and Hanek): with
// x = m 2^e, m of 24 bits, only those bits of 2/pi matter whose product with 2^e is below 4; a
// window of 96 of them times m gives the quadrant (2 bits) and 62 bits of the fraction, of which
// the worst float leaves 32. All in integers, on every lane: there is no cheaper path to branch to.
#include "ops/math_parts.h"

namespace frit::math {

using Halide::cast;
using Halide::select;

namespace {

constexpr double kHalfPi = 1.5707963267948966;
/// 2/pi as a fixed-point number of 256 bits, the first 26 zero: window 0 belongs to e = -24.
constexpr std::uint32_t kTwoOverPi[] = {0x00000028, 0xbe60db93, 0x91054a7f, 0x09d5f47d,
                                        0x4d377036, 0xd8a5664f, 0x10e4107f, 0x9458eaf7};

Expr u32(std::uint32_t value) { return Expr(value); }
Expr wide(const Expr& x) { return cast<std::uint64_t>(x); }

struct Turned {
  Expr quadrant;  ///< 0 … 3
  Expr rest;      ///< |x| - quadrant pi/2, modulo 2 pi, in [-pi/4, pi/4]
};

/// Word `start`/32 + ahead of 2/pi, for start in [0, 160).
Expr word_of(const Expr& start, std::size_t ahead) {
  const Expr at = start >> 5;
  Expr word = u32(kTwoOverPi[4 + ahead]);
  for (std::size_t k = 4; k-- > 0;) {
    word = select(at == Expr(static_cast<int>(k)), u32(kTwoOverPi[k + ahead]), word);
  }
  return word;
}

/// `size` is |x|; for NaN and inf the result means nothing.
Turned turn(const Expr& size) {
  const Expr bits = bits_of(size);
  const Expr start = Halide::clamp((bits >> 23) - 126, 0, 128);
  const Expr m = wide(Halide::reinterpret<std::uint32_t>((bits & 0x007fffff) | 0x00800000));
  const Expr shift = Halide::reinterpret<std::uint32_t>(start & 31);
  // 64 bits of 2/pi from a word on, shifted so that the window starts at the top
  Expr window[3];
  Expr ahead = word_of(start, 0);
  for (std::size_t k = 0; k < 3; ++k) {
    const Expr next = word_of(start, k + 1);
    const Expr both = (wide(ahead) << 32) | wide(next);
    window[k] = (both << wide(shift)) >> 32;
    ahead = next;
  }
  const Expr product =
      ((window[0] * m) << 32) + window[1] * m + ((window[2] * m) >> 32);  // quarter turns * 2^62
  const Expr quadrant = (product + Expr(std::uint64_t{1} << 61)) >> 62;
  const Expr fraction = product - (quadrant << 62);
  const Expr high = Halide::reinterpret<int>(cast<std::uint32_t>(fraction >> 32));
  const Expr low = cast<int>(cast<std::uint32_t>(fraction) >> 1);
  // by way of double, so that it rounds once: tan adds three more roundings
  const Expr rest = cast<float>(cast<double>(high) * Expr(kHalfPi * 0x1p-30) +
                                cast<double>(low) * Expr(kHalfPi * 0x1p-61));
  const Expr small = bits <= Expr(0x3f490fda);  // below pi/4
  return {select(small, 0, cast<int>(quadrant & Expr(std::uint64_t{3}))),
          select(small, size, rest)};
}

Expr sine(const Expr& r) {
  const Expr t = r * r;
  return r + r * t * polynomial(t, {-0.166666672, 0.00833332911, -0.000198393114, 2.71811791e-06});
}
Expr cosine(const Expr& r) {
  const Expr t = r * r;
  return f32(1.0) - t * f32(0.5) +
         t * t * polynomial(t, {0.0416666456, -0.00138873165, 2.44331204e-05});
}

Expr sign_bit(const Expr& x) { return bits_of(x) & Expr(std::numeric_limits<int>::min()); }
Expr with_sign(const Expr& size, const Expr& sign) { return from_bits(bits_of(size) ^ sign); }
/// `value`, or NaN where x is NaN or infinite.
Expr of_finite(const Expr& x, const Expr& value) {
  return select(math::is_finite(x), value, f32(kNaN));
}

/// sin of a quarter turn `ahead` quarters on: 0 for sin, 1 for cos.
Expr wave(const Turned& r, int ahead) {
  const Expr quarter = r.quadrant + ahead;
  const Expr value = select((quarter & 1) == 0, sine(r.rest), cosine(r.rest));
  return with_sign(value, select((quarter & 2) != 0, std::numeric_limits<int>::min(), 0));
}

/// asin of s in [0, 1/2], t its square.
Expr small_asin(const Expr& s, const Expr& t) {
  return s + s * t *
                 polynomial(t, {0.166666597, 0.0750050396, 0.0445169546, 0.0318077244, 0.0144385882,
                                0.0375164747});
}

}  // namespace

Expr sin(const Expr& x) {
  if (!is_single(x)) return Halide::sin(x);
  return of_finite(x, with_sign(wave(turn(Halide::abs(x)), 0), sign_bit(x)));
}

Expr cos(const Expr& x) {
  if (!is_single(x)) return Halide::cos(x);
  return of_finite(x, wave(turn(Halide::abs(x)), 1));
}

Expr tan(const Expr& x) {
  if (!is_single(x)) return Halide::tan(x);
  const Turned r = turn(Halide::abs(x));
  const Expr s = sine(r.rest), c = cosine(r.rest);
  const Expr odd = (r.quadrant & 1) != 0;
  const Expr value = select(odd, -c, s) / select(odd, s, c);
  return of_finite(x, with_sign(value, sign_bit(x)));
}

// Above 1/2 by the half angle: asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
Expr asin(const Expr& x) {
  if (!is_single(x)) return Halide::asin(x);
  const Expr size = Halide::abs(x);
  const Expr large = strict_less(f32(0.5), size);
  const Expr half = (f32(1.0) - size) * f32(0.5);
  const Expr t = select(large, half, size * size);
  const Expr angle = small_asin(select(large, Halide::sqrt(half), size), t);
  const Expr value = select(large, f32(kHalfPi) - (angle + angle), angle);
  return select(strict_less_equal(size, f32(1.0)), with_sign(value, sign_bit(x)), f32(kNaN));
}

Expr acos(const Expr& x) {
  if (!is_single(x)) return Halide::acos(x);
  const Expr size = Halide::abs(x);
  const Expr large = strict_less(f32(0.5), size);
  const Expr half = (f32(1.0) - size) * f32(0.5);
  const Expr t = select(large, half, size * size);
  const Expr angle = small_asin(select(large, Halide::sqrt(half), x), t);
  const Expr twice = angle + angle;
  const Expr negative = bits_of(x) < 0;
  const Expr value =
      select(large, select(negative, f32(2.0 * kHalfPi) - twice, twice), f32(kHalfPi) - angle);
  return select(strict_less_equal(size, f32(1.0)), value, f32(kNaN));
}

// Above 1: pi/2 - atan(1/x).
Expr atan(const Expr& x) {
  if (!is_single(x)) return Halide::atan(x);
  const Expr size = Halide::abs(x);
  const Expr large = strict_less(f32(1.0), size);
  const Expr s = select(large, divide(f32(1.0), size), size);
  const Expr t = s * s;
  const Expr angle =
      s + s * t *
              polynomial(t, {-0.333332986, 0.199985489, -0.142642424, 0.109521858, -0.0840344951,
                             0.0579575822, -0.0311778337, 0.0109145995, -0.00179362029});
  return with_sign(select(large, f32(kHalfPi) - angle, angle), sign_bit(x));
}

}  // namespace frit::math

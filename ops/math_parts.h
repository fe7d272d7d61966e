// What the files that define ops/math.h share: constants, bits, polynomials.
#pragma once

#include <Halide.h>

#include <initializer_list>
#include <iterator>
#include <limits>
#include <vector>

#include "ops/halide_type.h"
#include "ops/math.h"

namespace frit::math {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline Expr number(const Expr& like, double value) { return constant_of(like.type(), value); }
inline Expr f32(double value) { return Expr(static_cast<float>(value)); }
inline bool is_single(const Expr& x) { return x.type() == Halide::Float(32); }
inline Expr bits_of(const Expr& x) { return Halide::reinterpret<int>(x); }
inline Expr from_bits(const Expr& bits) { return Halide::reinterpret<float>(bits); }

/// c0 + c1 x + c2 x^2 + …
inline Expr polynomial(const Expr& x, std::initializer_list<double> coefficients) {
  Expr sum;
  for (auto c = std::rbegin(coefficients); c != std::rend(coefficients); ++c) {
    sum = sum.defined() ? sum * x + number(x, *c) : number(x, *c);
  }
  return sum;
}

/// A function of the C library.
inline Expr extern_double(const char* name, const std::vector<Expr>& arguments) {
  return Halide::Internal::Call::make(Halide::Float(64), name, arguments,
                                      Halide::Internal::Call::PureExtern);
}

}  // namespace frit::math

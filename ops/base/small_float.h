// Floats of at most eight bits, ONNX's float8, float6 and float4 types: formats and conversion.
//
// A code is sign, exponent, mantissa in the low bits of a byte. The Halide side of the same
// conversions is ops/small_types.h.
#pragma once

#include <cstdint>

#include "ops/base/tensor_type.h"

namespace frit {

/// value = (-1)^sign * 2^(exponent - bias) * 1.mantissa; exponent 0: 2^(1 - bias) * 0.mantissa.
struct SmallFloat {
  int mantissa_bits;
  int bias;
  int sign_bit;           ///< position of the sign
  std::uint8_t largest;   ///< code of the largest finite value
  std::uint8_t infinity;  ///< code of +inf; 0: there is none
  std::uint8_t nan;       ///< code of NaN; 0: there is none
  bool negative_zero;     ///< else the code of -0 is the only NaN (types named …fnuz)
};

/// Of a small float other than f8e8m0, whose codes are exponents: value 2^(code - 127), 255 is NaN.
const SmallFloat& small_float_format(DType dtype);
/// A storage type that is a float.
bool is_small_float(DType dtype);

/// ONNX's Cast attributes.
struct SmallFloatCast {
  enum class Round : std::uint8_t { kUp, kDown, kNearest };  ///< nearest: halfway goes up
  bool saturate = true;      ///< else what is too large is inf, or NaN where there is none
  Round round = Round::kUp;  ///< of f8e8m0 only; the others round to nearest, ties to even
};

/// Exact.
double small_float_value(DType dtype, std::uint8_t code);

/// As the tables of ONNX's Cast say, where they leave open: types without infinity and NaN (f6, f4)
/// saturate and make -0 of NaN. f8e8m0 takes |value| rounded to float32; beyond its range it gives
/// the nearest end when saturating, else NaN.
std::uint8_t small_float_code(DType dtype, double value, SmallFloatCast how = {});

}  // namespace frit

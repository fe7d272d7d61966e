#include "ops/base/small_float.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/base/assert.h"

namespace frit {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::uint8_t exponent_code(double value, SmallFloatCast how) {
  const auto size = static_cast<double>(std::fabs(static_cast<float>(value)));
  if (std::isnan(size)) return 255;
  if (size > 0x1p127) return how.saturate ? 254 : 255;
  if (size < 0x1p-127) return how.saturate ? 0 : 255;
  int exponent = 0;
  const double part = 2.0 * std::frexp(size, &exponent);  // in [1, 2)
  const bool up = (how.round == SmallFloatCast::Round::kUp && part > 1.0) ||
                  (how.round == SmallFloatCast::Round::kNearest && part >= 1.5);
  return static_cast<std::uint8_t>(exponent - 1 + 127 + (up ? 1 : 0));
}

}  // namespace

const SmallFloat& small_float_format(DType dtype) {
  static constexpr SmallFloat kE4M3FN{3, 7, 7, 0x7E, 0, 0x7F, true};
  static constexpr SmallFloat kE4M3FNUZ{3, 8, 7, 0x7F, 0, 0x80, false};
  static constexpr SmallFloat kE5M2{2, 15, 7, 0x7B, 0x7C, 0x7E, true};
  static constexpr SmallFloat kE5M2FNUZ{2, 16, 7, 0x7F, 0, 0x80, false};
  static constexpr SmallFloat kE2M3{3, 1, 5, 0x1F, 0, 0, true};
  static constexpr SmallFloat kE3M2{2, 3, 5, 0x1F, 0, 0, true};
  static constexpr SmallFloat kE2M1{1, 1, 3, 0x07, 0, 0, true};
  switch (dtype) {
    case DType::kF8E4M3FN:
      return kE4M3FN;
    case DType::kF8E4M3FNUZ:
      return kE4M3FNUZ;
    case DType::kF8E5M2:
      return kE5M2;
    case DType::kF8E5M2FNUZ:
      return kE5M2FNUZ;
    case DType::kF6E2M3:
      return kE2M3;
    case DType::kF6E3M2:
      return kE3M2;
    case DType::kF4E2M1:
      return kE2M1;
    default:
      FRIT_ASSERT(false, "no small float with a mantissa");
  }
}

bool is_small_float(DType dtype) { return is_storage_only(dtype) && is_float(dtype); }

double small_float_value(DType dtype, std::uint8_t code) {
  if (dtype == DType::kF8E8M0) return code == 255 ? kNaN : std::ldexp(1.0, code - 127);
  const SmallFloat& format = small_float_format(dtype);
  const int size = code & ((1 << format.sign_bit) - 1);
  const double sign = (code >> format.sign_bit & 1) != 0 ? -1.0 : 1.0;
  if (!format.negative_zero && code == format.nan) return kNaN;
  if (size > format.largest) return size == format.infinity ? sign * kInf : kNaN;
  const int exponent = size >> format.mantissa_bits;
  const int mantissa = size & ((1 << format.mantissa_bits) - 1);
  const int whole = exponent == 0 ? mantissa : mantissa + (1 << format.mantissa_bits);
  return sign * std::ldexp(whole, std::max(exponent, 1) - format.bias - format.mantissa_bits);
}

std::uint8_t small_float_code(DType dtype, double value, SmallFloatCast how) {
  if (dtype == DType::kF8E8M0) return exponent_code(value, how);
  const SmallFloat& format = small_float_format(dtype);
  const auto sign = static_cast<std::uint8_t>(1 << format.sign_bit);
  const auto with_sign = [&](int size) {
    const bool negative = std::signbit(value) && (size != 0 || format.negative_zero);
    return static_cast<std::uint8_t>(negative ? size | sign : size);
  };
  if (std::isnan(value)) {
    if (format.nan == 0) return sign;
    return format.negative_zero ? with_sign(format.nan) : format.nan;
  }
  const int least = 1 - format.bias;  // exponent of the smallest normal value
  int size = format.largest + 1;
  if (std::fabs(value) < 0x1p20) {
    int exponent = least;
    if (value != 0.0) exponent = std::max(std::ilogb(value), least);
    const double units = std::ldexp(std::fabs(value), format.mantissa_bits - exponent);
    size = ((exponent - least) << format.mantissa_bits) + static_cast<int>(std::nearbyint(units));
  }
  if (size <= format.largest) return with_sign(size);
  if (how.saturate || format.nan == 0) return with_sign(format.largest);
  if (format.infinity != 0) return with_sign(format.infinity);
  return format.negative_zero ? with_sign(format.nan) : format.nan;
}

}  // namespace frit

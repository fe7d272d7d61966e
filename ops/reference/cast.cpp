// Cast. Float to integer truncates, saturates and makes 0 of NaN (NUMERICS.md); integer to a
// narrower integer wraps; anything to bool is "!= 0".
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

// ONNX's TensorProto.DataType numbers.
std::optional<DType> dtype_numbered(std::int64_t number) {
  switch (number) {
    case 1:
      return DType::kF32;
    case 2:
      return DType::kU8;
    case 3:
      return DType::kI8;
    case 4:
      return DType::kU16;
    case 5:
      return DType::kI16;
    case 6:
      return DType::kI32;
    case 7:
      return DType::kI64;
    case 9:
      return DType::kBool;
    case 10:
      return DType::kF16;
    case 11:
      return DType::kF64;
    case 12:
      return DType::kU32;
    case 13:
      return DType::kU64;
    case 16:
      return DType::kBF16;
    default:
      return std::nullopt;
  }
}

// Truncated and clamped to [low, high + 1), where high + 1 is a power of two and so a double.
std::int64_t saturated(DType dtype, double value) {
  if (std::isnan(value)) return 0;
  const double whole = std::trunc(value);
  if (dtype == DType::kU64) {
    if (whole <= 0.0) return 0;
    if (whole >= 0x1p64) return -1;  // all bits set
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(whole));
  }
  const int bits = 8 * size_bytes(dtype);
  const bool is_unsigned = dtype == DType::kU8 || dtype == DType::kU16 || dtype == DType::kU32;
  const double above = std::ldexp(1.0, is_unsigned ? bits : bits - 1);
  const double low = is_unsigned ? 0.0 : -above;
  if (whole < low) return static_cast<std::int64_t>(low);
  if (whole >= above) {
    return bits == 64 ? std::numeric_limits<std::int64_t>::max()
                      : static_cast<std::int64_t>(above) - 1;
  }
  return static_cast<std::int64_t>(whole);
}

RefTensor to_integers(const RefTensor& x, DType to) {
  RefTensor y;
  y.dtype = to;
  y.dims = x.dims;
  y.bound = x.bound;
  const auto convert = [to](double v) {
    return to == DType::kBool ? std::int64_t{v != 0.0} : saturated(to, v);
  };
  y.integer.reserve(x.real.size());
  for (const double value : x.real) y.integer.push_back(convert(value));
  for (std::size_t i = 0; i < y.bound.size(); ++i) {
    if (y.bound[i] == 0.0) continue;
    const auto low = static_cast<double>(convert(x.real[i] - y.bound[i]));
    const auto high = static_cast<double>(convert(x.real[i] + y.bound[i]));
    const auto value = static_cast<double>(y.integer[i]);
    const bool crosses_zero = to == DType::kBool && std::fabs(x.real[i]) <= y.bound[i];
    y.bound[i] = crosses_zero ? 1.0 : std::max(high - value, value - low);
  }
  return y;
}

RefTensor to_reals(const RefTensor& x, DType to, bool bounded) {
  RefTensor y;
  y.dtype = to;
  y.dims = x.dims;
  y.bound = x.bound;
  y.real.reserve(x.integer.size());
  for (const std::int64_t value : x.integer) {
    y.real.push_back(x.dtype == DType::kU64 ? static_cast<double>(static_cast<std::uint64_t>(value))
                                            : static_cast<double>(value));
  }
  if (!bounded || to != DType::kF32) return y;
  for (std::size_t i = 0; i < y.real.size(); ++i) {
    if (std::fabs(y.real[i]) <= 0x1p24) continue;  // exact in float32
    if (y.bound.empty()) y.bound.assign(y.real.size(), 0.0);
    y.bound[i] += kEps * std::fabs(y.real[i]);
  }
  return y;
}

Outputs convert(const Call& call, DType to) {
  const RefTensor& x = call.in(0);
  const bool from_float = is_float(x.dtype);
  if (from_float && !is_float(to)) return one(to_integers(x, to));
  if (!from_float && is_float(to)) return one(to_reals(x, to, call.bounded()));
  RefTensor y = x;
  y.dtype = to;
  for (std::int64_t& value : y.integer) value = wrapped(to, value);
  if (x.dtype == DType::kF64 && to == DType::kF32 && call.bounded()) {
    if (y.bound.empty()) y.bound.assign(y.real.size(), 0.0);
    for (std::size_t i = 0; i < y.real.size(); ++i) y.bound[i] += kEps * std::fabs(y.real[i]);
  }
  return one(std::move(y));
}

Outputs cast(const Call& call) {
  const std::int64_t number = call.attr("to", std::int64_t{0});
  const std::optional<DType> to = dtype_numbered(number);
  if (!to) return call.refuse(fmt::format("casts to ONNX type {}, which is not supported", number));
  return convert(call, *to);
}

Outputs cast_like(const Call& call) { return convert(call, call.in(1).dtype); }

}  // namespace

std::span<const Entry> cast_entries() {
  static constexpr Entry kEntries[] = {{"Cast", 1, 1, cast}, {"CastLike", 2, 2, cast_like}};
  return kEntries;
}

}  // namespace frit::ref

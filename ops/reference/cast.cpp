// Cast and BitCast. Float to integer truncates, saturates and makes 0 of NaN (NUMERICS.md), but 4
// and 2 bits are the low ones of that int32; integer to a narrower integer wraps; anything to bool
// is "!= 0"; to small floats see ops/base/small_float.h.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "ops/base/small_float.h"
#include "ops/reference/call.h"
#include "ops/reference/cast.h"

namespace frit::ref {
namespace {

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

}  // namespace

RefTensor to_integers(const RefTensor& x, DType to) {
  RefTensor y;
  y.dtype = to;
  y.dims = x.dims;
  y.bound = x.bound;
  const auto convert = [to](double v) {
    if (to == DType::kBool) return std::int64_t{v != 0.0};
    return is_storage_only(to) ? wrapped(to, saturated(DType::kI32, v)) : saturated(to, v);
  };
  y.integer.reserve(x.real.size());
  for (const double value : x.real) y.integer.push_back(convert(value));
  for (std::size_t i = 0; i < y.bound.size(); ++i) {
    if (y.bound[i] == 0.0) continue;
    const auto low = static_cast<double>(convert(x.real[i] - y.bound[i]));
    const auto high = static_cast<double>(convert(x.real[i] + y.bound[i]));
    const auto value = static_cast<double>(y.integer[i]);
    const bool crosses_zero = to == DType::kBool && std::fabs(x.real[i]) <= y.bound[i];
    if (is_storage_only(to) && low != high) {  // it wraps
      y.bound[i] = kUnknown;
      continue;
    }
    y.bound[i] = crosses_zero ? 1.0 : std::max(high - value, value - low);
  }
  return y;
}

namespace {

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

// Of each code, the farther of those of x - bound and x + bound.
RefTensor to_small_floats(const RefTensor& x, DType to, SmallFloatCast how) {
  RefTensor y;
  y.dtype = to;
  y.dims = x.dims;
  y.bound = x.bound;
  const auto convert = [&](double v) {
    return small_float_value(to, small_float_code(to, v, how));
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.elements()); ++i) {
    const bool large = x.dtype == DType::kU64 && x.integer[i] < 0;
    const double value = large ? 0x1p63 : number_at(x, i);
    y.real.push_back(convert(value));
    if (y.bound.empty() || y.bound[i] == 0.0) continue;
    const double low = convert(value - y.bound[i]), high = convert(value + y.bound[i]);
    y.bound[i] = std::max(std::fabs(high - y.real[i]), std::fabs(y.real[i] - low));
    if (std::isnan(y.bound[i]) || !std::isfinite(y.real[i])) y.bound[i] = kDoubtful;
  }
  return y;
}

Outputs convert(const Call& call, DType to) {
  const RefTensor& x = call.in(0);
  if (x.dtype == to) return one(x);
  const bool from_float = is_float(x.dtype);
  if (is_small_float(to)) {
    SmallFloatCast how;
    how.saturate = call.attr("saturate", std::int64_t{1}) != 0;
    const std::string mode = string_attribute(call.op.attributes, "round_mode", "up");
    if (mode == "down") how.round = SmallFloatCast::Round::kDown;
    if (mode == "nearest") how.round = SmallFloatCast::Round::kNearest;
    return one(to_small_floats(x, to, how));
  }
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

Result<DType> target_of(const Call& call) {
  const std::int64_t number = call.attr("to", std::int64_t{0});
  const std::optional<DType> to = dtype_of_onnx(number);
  if (to) return *to;
  return call.refuse(fmt::format("casts to ONNX type {}, which is not supported", number));
}

Outputs cast(const Call& call) {
  const Result<DType> to = target_of(call);
  if (!to) return tl::unexpected<Diagnostic>(to.error());
  return convert(call, *to);
}

Outputs cast_like(const Call& call) { return convert(call, call.in(1).dtype); }

// ---- BitCast: by way of the bytes of a Tensor.

Outputs bit_cast(const Call& call) {
  const Result<DType> to = target_of(call);
  if (!to) return tl::unexpected<Diagnostic>(to.error());
  const RefTensor& x = call.in(0);
  if (packed_bits(x.dtype) != packed_bits(*to)) {
    return call.refuse(fmt::format("casts {} bits to {}", packed_bits(x.dtype), packed_bits(*to)));
  }
  const Tensor from = x.to_tensor();
  std::vector<std::byte> bytes(from.bytes().begin(), from.bytes().end());
  for (std::byte& byte : bytes) {
    if (*to == DType::kBool) byte = std::byte{byte != std::byte{0}};
    if (packed_bits(*to) == 8 || !is_storage_only(*to)) continue;
    const int low = std::to_integer<int>(byte) & ((1 << packed_bits(*to)) - 1);
    byte = static_cast<std::byte>(is_float(*to) ? low : wrapped(*to, low));
  }
  RefTensor y = RefTensor::from(
      Tensor(*to, x.dims, std::make_shared<const std::vector<std::byte>>(std::move(bytes))));
  y.bound = x.bound;
  for (double& bound : y.bound) bound = bound == 0.0 ? 0.0 : kDoubtful;
  return one(std::move(y));
}

}  // namespace

std::span<const Entry> cast_entries() {
  static constexpr Entry kEntries[] = {
      {"Cast", 1, 1, cast}, {"CastLike", 2, 2, cast_like}, {"BitCast", 1, 1, bit_cast}};
  return kEntries;
}

}  // namespace frit::ref

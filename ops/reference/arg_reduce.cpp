// ArgMax, ArgMin, and frit's own OrderKey.
#include <cmath>
#include <cstring>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

Outputs refused(Diagnostic diagnostic) { return tl::unexpected<Diagnostic>(std::move(diagnostic)); }

// Whether the errors of two elements could change which is before the other.
bool may_turn(const RefTensor& x, std::size_t a, std::size_t b) {
  const double spread = bound_at(x, a) + bound_at(x, b);
  return spread > 0.0 && !(std::fabs(x.real[a] - x.real[b]) > spread);
}

// a before b: NaN before all, then the greater (of ArgMax) or the smaller.
bool beats(const RefTensor& x, std::size_t a, std::size_t b, bool greatest) {
  if (x.real.empty()) {
    if (x.dtype == DType::kU64) {
      const auto first = static_cast<std::uint64_t>(x.integer[a]),
                 second = static_cast<std::uint64_t>(x.integer[b]);
      return greatest ? first > second : first < second;
    }
    return greatest ? x.integer[a] > x.integer[b] : x.integer[a] < x.integer[b];
  }
  if (std::isnan(x.real[b])) return false;
  if (std::isnan(x.real[a])) return true;
  return greatest ? x.real[a] > x.real[b] : x.real[a] < x.real[b];
}

Outputs extreme(const Call& call, bool greatest) {
  const RefTensor& x = call.in(0);
  const auto axis = axis_of(call, call.attr("axis", std::int64_t{0}), x.dims.size());
  if (!axis) return refused(axis.error());
  if (x.dims[*axis] == 0) return call.refuse("its axis is empty");
  Dims dims = x.dims;
  dims[*axis] = 1;
  Result<RefTensor> y = make(call, DType::kI64, dims);
  if (!y) return refused(y.error());
  if (call.attr("keepdims", std::int64_t{1}) == 0) {
    y->dims.erase(y->dims.begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  if (!x.bound.empty()) y->bound.assign(y->integer.size(), 0.0);
  const bool last = call.attr("select_last_index", std::int64_t{0}) != 0;
  const auto step = static_cast<std::size_t>(dense_strides(x.dims)[*axis]);
  const auto extent = static_cast<std::size_t>(x.dims[*axis]);
  for (std::size_t i = 0; i < y->integer.size(); ++i) {
    const std::size_t first = i / step * step * extent + i % step;
    std::size_t best = 0;
    for (std::size_t r = 1; r < extent; ++r) {
      const std::size_t a = first + r * step, b = first + best * step;
      if (last ? !beats(x, b, a, greatest) : beats(x, a, b, greatest)) best = r;
    }
    y->integer[i] = static_cast<std::int64_t>(best);
    for (std::size_t r = 0; r < extent && !x.bound.empty(); ++r) {
      if (r != best && may_turn(x, first + r * step, first + best * step)) y->bound[i] = kUnknown;
    }
  }
  return one(std::move(*y));
}

Outputs arg_max(const Call& call) { return extreme(call, true); }
Outputs arg_min(const Call& call) { return extreme(call, false); }

// The bits of a non-negative float grow with it; those of a negative one fall.
template <class Float, class Bits>
std::int64_t key_of(double value, bool nan_highest) {
  if (std::isnan(value)) {
    return nan_highest ? std::numeric_limits<Bits>::max() : std::numeric_limits<Bits>::min();
  }
  const auto size = static_cast<Float>(std::fabs(value));
  Bits bits = 0;
  std::memcpy(&bits, &size, sizeof bits);
  return value < 0 ? -static_cast<std::int64_t>(bits) - 1 : static_cast<std::int64_t>(bits);
}

Outputs order_key(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  const RefTensor& x = call.in(0);
  const bool wide = x.dtype == DType::kF64;
  const bool nan_highest = call.attr("nan_highest", std::int64_t{1}) != 0;
  Result<RefTensor> y = make(call, wide ? DType::kI64 : DType::kI32, x.dims);
  if (!y) return refused(y.error());
  for (std::size_t i = 0; i < x.real.size(); ++i) {
    const double value = rounded(x.dtype, x.real[i]);
    y->integer[i] = wide ? key_of<double, std::int64_t>(value, nan_highest)
                         : key_of<float, std::int32_t>(value, nan_highest);
    if (bound_at(x, i) == 0.0) continue;
    y->bound.resize(y->integer.size(), 0.0);
    y->bound[i] = kUnknown;
  }
  return one(std::move(*y));
}

}  // namespace

std::span<const Entry> arg_reduce_entries() {
  static constexpr Entry kEntries[] = {
      {"ArgMax", 1, 1, arg_max}, {"ArgMin", 1, 1, arg_min}, {"frit.OrderKey", 1, 1, order_key}};
  return kEntries;
}

}  // namespace frit::ref

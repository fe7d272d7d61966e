// NonZero and Unique.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

Outputs refused(Diagnostic diagnostic) { return tl::unexpected<Diagnostic>(std::move(diagnostic)); }

Outputs non_zero(const Call& call) {
  const RefTensor& x = call.in(0);
  if (!x.bound.empty()) return call.refuse("its length depends on rounded values");
  Dims found;
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    if (number_at(x, static_cast<std::size_t>(i)) != 0.0) found.push_back(i);
  }
  const auto count = static_cast<std::int64_t>(found.size());
  Result<RefTensor> y = make(call, DType::kI64, {static_cast<std::int64_t>(x.dims.size()), count});
  if (!y) return refused(y.error());
  const Dims strides = dense_strides(x.dims);
  for (std::size_t axis = 0; axis < x.dims.size(); ++axis) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      y->integer[axis * found.size() + i] = found[i] / strides[axis] % x.dims[axis];
    }
  }
  return one(std::move(*y));
}

// -1, 0 or 1; NaN is equal to itself and above all else.
int compare(const RefTensor& x, std::size_t a, std::size_t b) {
  if (x.real.empty()) {
    if (x.integer[a] == x.integer[b]) return 0;
    const bool less = x.dtype == DType::kU64 ? static_cast<std::uint64_t>(x.integer[a]) <
                                                   static_cast<std::uint64_t>(x.integer[b])
                                             : x.integer[a] < x.integer[b];
    return less ? -1 : 1;
  }
  const bool nan_a = std::isnan(x.real[a]), nan_b = std::isnan(x.real[b]);
  if (nan_a || nan_b) return static_cast<int>(nan_a) - static_cast<int>(nan_b);
  return x.real[a] < x.real[b] ? -1 : x.real[a] > x.real[b] ? 1 : 0;
}

// Slices of x along one axis.
struct Slices {
  const RefTensor& x;
  std::size_t extent = 1, inner = 1, outer = 1;

  std::size_t place(std::size_t slice, std::size_t element) const {
    return (element / inner * extent + slice) * inner + element % inner;
  }
  int compared(std::size_t a, std::size_t b) const {
    for (std::size_t e = 0; e < outer * inner; ++e) {
      if (const int order = compare(x, place(a, e), place(b, e))) return order;
    }
    return 0;
  }
};

RefTensor list_of(const Dims& values) {
  RefTensor tensor;
  tensor.dtype = DType::kI64;
  tensor.dims = {static_cast<std::int64_t>(values.size())};
  tensor.integer = values;
  return tensor;
}

Outputs unique(const Call& call) {
  const RefTensor& x = call.in(0);
  if (!x.bound.empty()) return call.refuse("its length depends on rounded values");
  Dims dims = {x.elements()};
  std::size_t axis = 0;
  if (has_attribute(call.op.attributes, "axis")) {
    dims = x.dims;
    const auto stated = axis_of(call, call.attr("axis", std::int64_t{0}), dims.size());
    if (!stated) return refused(stated.error());
    axis = *stated;
  }
  Slices slices{x};
  slices.extent = static_cast<std::size_t>(dims[axis]);
  for (std::size_t a = 0; a < dims.size(); ++a) {
    if (a < axis) slices.outer *= static_cast<std::size_t>(dims[a]);
    if (a > axis) slices.inner *= static_cast<std::size_t>(dims[a]);
  }
  std::vector<std::size_t> order(slices.extent);  // equal slices together, the first one first
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return slices.compared(a, b) < 0; });
  std::vector<std::vector<std::size_t>> groups;
  for (const std::size_t slice : order) {
    if (groups.empty() || slices.compared(groups.back()[0], slice) != 0) groups.emplace_back();
    groups.back().push_back(slice);
  }
  if (call.attr("sorted", std::int64_t{1}) == 0) std::sort(groups.begin(), groups.end());
  dims[axis] = static_cast<std::int64_t>(groups.size());
  Result<RefTensor> y = make(call, x.dtype, dims);
  if (!y) return refused(y.error());
  Dims first, counts, inverse(slices.extent, 0);
  Slices results = slices;
  results.extent = groups.size();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    first.push_back(static_cast<std::int64_t>(groups[g][0]));
    counts.push_back(static_cast<std::int64_t>(groups[g].size()));
    for (const std::size_t slice : groups[g]) inverse[slice] = static_cast<std::int64_t>(g);
    for (std::size_t e = 0; e < slices.outer * slices.inner; ++e) {
      const std::size_t from = slices.place(groups[g][0], e), to = results.place(g, e);
      if (x.real.empty()) {
        y->integer[to] = x.integer[from];
      } else {
        y->real[to] = x.real[from];
      }
    }
  }
  return std::vector{std::move(*y), list_of(first), list_of(inverse), list_of(counts)};
}

}  // namespace

std::span<const Entry> known_value_entries() {
  static constexpr Entry kEntries[] = {{"NonZero", 1, 1, non_zero}, {"Unique", 1, 1, unique}};
  return kEntries;
}

}  // namespace frit::ref

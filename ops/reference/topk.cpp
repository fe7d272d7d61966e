// TopK and frit's own TopKIndices: a stable sort of each row.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

Outputs refused(Diagnostic diagnostic) { return tl::unexpected<Diagnostic>(std::move(diagnostic)); }

// x[a] > x[b]; NaN is above everything else.
bool above(const RefTensor& x, std::size_t a, std::size_t b) {
  if (x.dtype == DType::kU64) {
    return static_cast<std::uint64_t>(x.integer[a]) > static_cast<std::uint64_t>(x.integer[b]);
  }
  if (x.real.empty()) return x.integer[a] > x.integer[b];
  if (std::isnan(x.real[b])) return false;
  return std::isnan(x.real[a]) || x.real[a] > x.real[b];
}

// Values, then indices.
Outputs top(const Call& call, std::int64_t k, bool largest) {
  const RefTensor& x = call.in(0);
  const auto axis = axis_of(call, call.attr("axis", std::int64_t{-1}), x.dims.size());
  if (!axis) return refused(axis.error());
  if (k < 0 || k > x.dims[*axis]) return call.refuse("k is outside its axis");
  Dims dims = x.dims;
  dims[*axis] = k;
  Result<RefTensor> values = make(call, x.dtype, dims), indices = make(call, DType::kI64, dims);
  if (!values) return refused(values.error());
  if (!indices) return refused(indices.error());
  const auto stride = static_cast<std::size_t>(dense_strides(x.dims)[*axis]);
  const auto extent = static_cast<std::size_t>(x.dims[*axis]), count = static_cast<std::size_t>(k);
  const std::size_t rows = extent == 0 ? 0 : static_cast<std::size_t>(x.elements()) / extent;
  if (!x.bound.empty()) {
    values->bound.assign(indices->integer.size(), 0.0);
    indices->bound.assign(indices->integer.size(), kUnknown);  // a rounding may decide
  }
  std::vector<std::size_t> order(extent);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = row / stride * stride * extent + row % stride;
    const std::size_t out = row / stride * stride * count + row % stride;
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const std::size_t i = first + a * stride, j = first + b * stride;
      return largest ? above(x, i, j) : above(x, j, i);
    });
    double bound = 0.0;  // the i-th largest moves by no more than any element does
    for (std::size_t j = 0; j < extent; ++j)
      bound = std::max(bound, bound_at(x, first + j * stride));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t to = out + i * stride, from = first + order[i] * stride;
      indices->integer[to] = static_cast<std::int64_t>(order[i]);
      if (!x.bound.empty()) values->bound[to] = bound;
      if (x.real.empty()) {
        values->integer[to] = x.integer[from];
      } else {
        values->real[to] = x.real[from];
      }
    }
  }
  return std::vector{std::move(*values), std::move(*indices)};
}

Outputs topk(const Call& call) {
  std::int64_t k = call.attr("k", std::int64_t{-1});
  if (call.has(1)) {
    const Result<Dims> given = ints_input(call, 1);
    if (!given) return refused(given.error());
    if (given->size() != 1) return call.refuse("its k is not one number");
    k = (*given)[0];
  }
  return top(call, k, call.attr("largest", std::int64_t{1}) != 0);
}

Outputs topk_indices(const Call& call) {
  Outputs both =
      top(call, call.attr("k", std::int64_t{-1}), call.attr("largest", std::int64_t{1}) != 0);
  if (both) both->erase(both->begin());
  return both;
}

}  // namespace

std::span<const Entry> topk_entries() {
  static constexpr Entry kEntries[] = {{"TopK", 1, 2, topk},
                                       {"frit.TopKIndices", 1, 1, topk_indices}};
  return kEntries;
}

}  // namespace frit::ref

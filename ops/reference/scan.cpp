// CumSum and CumProd: running totals along one axis.
#include <cmath>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

Outputs refused(Diagnostic diagnostic) { return tl::unexpected<Diagnostic>(std::move(diagnostic)); }

// A running value and the error it may have.
struct Running {
  double value = 0.0, bound = 0.0;
  std::uint64_t integer = 0;
};

void step(const Call& call, const RefTensor& x, std::size_t at, bool product, Running& run) {
  if (x.real.empty()) {
    const auto next = static_cast<std::uint64_t>(x.integer[at]);
    run.integer = product ? run.integer * next : run.integer + next;
    return;
  }
  const double next = x.real[at], error = bound_at(x, at);
  const double before = run.value;
  run.value = product ? before * next : before + next;
  if (call.naive()) run.value = static_cast<double>(static_cast<float>(run.value));
  if (product) {
    run.bound = run.bound * (std::fabs(next) + error) + std::fabs(before) * error +
                kEps * std::fabs(run.value);
  } else {
    run.bound += error + 2.0 * kEps * (std::fabs(before) + std::fabs(next));
  }
}

Outputs scan(const Call& call, bool product) {
  const RefTensor& x = call.in(0);
  std::int64_t stated = call.attr("axis", std::int64_t{0});
  if (call.has(1)) {
    const Result<Dims> given = ints_input(call, 1);
    if (!given) return refused(given.error());
    if (given->size() != 1) return call.refuse("its axis is not one number");
    stated = (*given)[0];
  }
  const auto axis = axis_of(call, stated, x.dims.size());
  if (!axis) return refused(axis.error());
  const bool exclusive = call.attr("exclusive", std::int64_t{0}) != 0;
  const bool reverse = call.attr("reverse", std::int64_t{0}) != 0;
  Result<RefTensor> y = make(call, x.dtype, x.dims);
  if (!y) return refused(y.error());
  if (x.elements() == 0) return one(std::move(*y));
  if (call.bounded() && !x.real.empty()) y->bound.assign(x.real.size(), 0.0);
  const auto stride = static_cast<std::size_t>(dense_strides(x.dims)[*axis]);
  const auto extent = static_cast<std::size_t>(x.dims[*axis]);
  const auto rows = static_cast<std::size_t>(x.elements()) / extent;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = row / stride * stride * extent + row % stride;
    Running run;
    run.value = product ? 1.0 : 0.0;
    run.integer = product ? 1 : 0;
    for (std::size_t i = 0; i < extent; ++i) {
      const std::size_t at = first + (reverse ? extent - 1 - i : i) * stride;
      if (!exclusive) step(call, x, at, product, run);
      if (x.real.empty()) {
        y->integer[at] = wrapped(x.dtype, static_cast<std::int64_t>(run.integer));
      } else {
        y->real[at] = run.value;
        if (!y->bound.empty()) y->bound[at] = run.bound;
      }
      if (exclusive) step(call, x, at, product, run);
    }
  }
  return one(std::move(*y));
}

Outputs cumulative_sum(const Call& call) { return scan(call, false); }
Outputs cumulative_product(const Call& call) { return scan(call, true); }

}  // namespace

std::span<const Entry> scan_entries() {
  static constexpr Entry kEntries[] = {{"CumSum", 1, 2, cumulative_sum},
                                       {"CumProd", 1, 2, cumulative_product}};
  return kEntries;
}

}  // namespace frit::ref

// What Conv and ConvTranspose share: sums of w*x on top of the bias of each filter, in double or in
// naive float32, and their error bound.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "ops/reference/call.h"

namespace frit::ref {

struct SumShape {
  Dims dims;  ///< [n,k,spatial…] of the output
  std::int64_t batch = 0, filters = 0;
  std::int64_t plane = 0;  ///< elements of one output channel
  std::int64_t terms = 0;  ///< most products that meet in one output
};

/// A vector of the output's size whose every plane k holds of(k).
template <class T, class F>
std::vector<T> planes(const SumShape& shape, F of) {
  std::vector<T> y;
  y.reserve(static_cast<std::size_t>(shape.batch * shape.filters * shape.plane));
  for (std::int64_t n = 0; n < shape.batch; ++n) {
    for (std::int64_t k = 0; k < shape.filters; ++k) {
      y.insert(y.end(), static_cast<std::size_t>(shape.plane), of(static_cast<std::size_t>(k)));
    }
  }
  return y;
}

/// Linear in the same sums: those of |w| with 4*eps*sqrt(terms)*|x| + bound(x), and of bound(w)
/// with |x| + bound(x).
template <class Sum>
std::vector<double> sums_bound(const Call& call, const SumShape& shape, const Sum& add) {
  const RefTensor& x = call.in(0);
  const RefTensor& w = call.in(1);
  const bool biased = call.has(2);
  const double factor = sum_factor(shape.terms + (biased ? 1 : 0));
  std::vector<double> bound = planes<double>(shape, [&](std::size_t k) {
    return biased ? factor * std::fabs(call.in(2).real[k]) + bound_at(call.in(2), k) : 0.0;
  });
  std::vector<double> size_w(w.real.size()), error_x(x.real.size());
  for (std::size_t i = 0; i < size_w.size(); ++i) size_w[i] = std::fabs(w.real[i]);
  for (std::size_t i = 0; i < error_x.size(); ++i) {
    error_x[i] = factor * std::fabs(x.real[i]) + bound_at(x, i);
  }
  add(error_x, size_w, bound);
  if (w.bound.empty()) return bound;
  for (std::size_t i = 0; i < error_x.size(); ++i) {
    error_x[i] = std::fabs(x.real[i]) + bound_at(x, i);
  }
  add(error_x, w.bound, bound);
  return bound;
}

/// The output of inputs x, w and perhaps b. `add(x, w, y)` adds every product to y, for vectors of
/// float and of double.
template <class Sum>
Outputs weighted_sums(const Call& call, const SumShape& shape, const Sum& add) {
  const RefTensor& x = call.in(0);
  const RefTensor& w = call.in(1);
  Result<RefTensor> y = make(call, x.dtype, shape.dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  const auto bias = [&](std::size_t k) { return call.has(2) ? call.in(2).real[k] : 0.0; };
  if (call.naive()) {
    std::vector<float> sums =
        planes<float>(shape, [&](std::size_t k) { return static_cast<float>(bias(k)); });
    add(std::vector<float>(x.real.begin(), x.real.end()),
        std::vector<float>(w.real.begin(), w.real.end()), sums);
    y->real.assign(sums.begin(), sums.end());
    return one(std::move(*y));
  }
  y->real = planes<double>(shape, bias);
  add(x.real, w.real, y->real);
  if (call.bounded()) y->bound = sums_bound(call, shape, add);
  return one(std::move(*y));
}

}  // namespace frit::ref

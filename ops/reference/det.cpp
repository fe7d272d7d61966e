// Det, by elimination with row pivoting in double.
//
// Error model: elimination in float32 is exact for a matrix whose rows are off by about n eps of
// their norm, and no cofactor exceeds the product of the norms of the other rows (Hadamard).
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

using Matrix = std::vector<std::vector<double>>;

// `round` is applied to every result.
template <class Round>
double determinant(Matrix a, Round round) {
  const std::size_t n = a.size();
  double product = 1.0;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k]) || std::isnan(a[i][k])) pivot = i;
    }
    if (pivot != k) {
      std::swap(a[pivot], a[k]);
      product = -product;
    }
    product = round(product * a[k][k]);
    if (a[k][k] == 0.0) continue;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = round(a[i][k] / a[k][k]);
      for (std::size_t j = k; j < n; ++j) a[i][j] = round(a[i][j] - round(factor * a[k][j]));
    }
  }
  return product;
}

Outputs det(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  const RefTensor& x = call.in(0);
  if (x.dims.size() < 2 || x.dims.back() != x.dims[x.dims.size() - 2]) {
    return call.refuse("its input " + dims_text(x.dims) + " holds no square matrices");
  }
  const auto n = static_cast<std::size_t>(x.dims.back());
  Result<RefTensor> y = make(call, x.dtype, Dims(x.dims.begin(), x.dims.end() - 2));
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  if (call.bounded()) y->bound.assign(y->real.size(), 0.0);
  for (std::size_t m = 0; m < y->real.size(); ++m) {
    Matrix a(n, std::vector<double>(n));
    double rows = 1.0, relative = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      double norm = 0.0, off = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t at = (m * n + i) * n + j;
        a[i][j] = x.real[at];
        norm = std::hypot(norm, std::fabs(a[i][j]) + bound_at(x, at));
        off = std::hypot(off, bound_at(x, at));
      }
      rows *= norm;
      if (norm > 0.0) relative += off / norm;
    }
    const auto size = static_cast<double>(n);
    y->real[m] =
        call.naive()
            ? determinant(a, [](double v) { return static_cast<double>(static_cast<float>(v)); })
            : determinant(a, [](double v) { return v; });
    if (call.bounded()) y->bound[m] = rows * (4.0 * kEps * size * size + 2.0 * relative);
  }
  return one(std::move(*y));
}

constexpr Entry kEntries[] = {{"Det", 1, 1, det}};

}  // namespace

std::span<const Entry> det_entries() { return kEntries; }

}  // namespace frit::ref

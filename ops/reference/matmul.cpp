// MatMul (numpy's rule: 1-D operands are promoted, leading axes broadcast) and Gemm.
#include <fmt/format.h>

#include <algorithm>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

struct Sizes {
  std::int64_t m = 0, k = 0, n = 0;
};

// c[m,n] += a[m,k] * b[k,n], all dense.
template <class T>
void multiply(const Sizes& s, const T* a, const T* b, T* c) {
  for (std::int64_t i = 0; i < s.m; ++i) {
    T* row = c + i * s.n;
    for (std::int64_t p = 0; p < s.k; ++p) {
      const T factor = a[i * s.k + p];
      const T* line = b + p * s.n;
      for (std::int64_t j = 0; j < s.n; ++j) row[j] += factor * line[j];
    }
  }
}

// Batches of products: operand offsets per output matrix.
struct Batches {
  Sizes sizes;
  Dims lead;  ///< broadcast leading extents
  std::vector<std::int64_t> at_a, at_b;
};

template <class T, class A, class B>
void multiply_all(const Batches& batches, const std::vector<A>& a, const std::vector<B>& b,
                  std::vector<T>& c) {
  const std::vector<T> ta(a.begin(), a.end());
  const std::vector<T> tb(b.begin(), b.end());
  for (std::size_t i = 0; i < batches.at_a.size(); ++i) {
    multiply(batches.sizes, ta.data() + batches.at_a[i], tb.data() + batches.at_b[i],
             c.data() + static_cast<std::int64_t>(i) * batches.sizes.m * batches.sizes.n);
  }
}

// |a| * (4 eps sqrt(k) |b| + bound b) + bound a * (|b| + bound b), added to `bound`.
void add_bound(const Batches& batches, const RefTensor& a, const RefTensor& b, double factor,
               std::vector<double>& bound) {
  std::vector<double> size_a(a.real.size());
  std::vector<double> error_b(b.real.size());
  for (std::size_t i = 0; i < size_a.size(); ++i) size_a[i] = std::fabs(a.real[i]);
  for (std::size_t i = 0; i < error_b.size(); ++i) {
    error_b[i] = factor * std::fabs(b.real[i]) + bound_at(b, i);
  }
  multiply_all(batches, size_a, error_b, bound);
  if (a.bound.empty()) return;
  for (std::size_t i = 0; i < error_b.size(); ++i)
    error_b[i] = std::fabs(b.real[i]) + bound_at(b, i);
  multiply_all(batches, a.bound, error_b, bound);
}

// Offsets of the matrices of both operands for each index of the leading axes.
void place_batches(const Dims& lead_a, const Dims& lead_b, Batches& batches) {
  const auto count = static_cast<std::size_t>(*count_of(batches.lead));
  batches.at_a.resize(count);
  batches.at_b.resize(count);
  const std::array<Dims, 2> strides{*stretched_strides(lead_a, batches.lead),
                                    *stretched_strides(lead_b, batches.lead)};
  const Sizes& s = batches.sizes;
  walk(batches.lead, strides, [&](std::size_t i, const std::array<std::int64_t, 2>& at) {
    batches.at_a[i] = at[0] * s.m * s.k;
    batches.at_b[i] = at[1] * s.k * s.n;
  });
}

Result<RefTensor> product(const Call& call, const Batches& batches, const RefTensor& a,
                          const RefTensor& b, const Dims& dims) {
  Result<RefTensor> made = make(call, a.dtype, dims);
  if (!made) return made;
  RefTensor& y = *made;
  if (!is_float(a.dtype)) {
    std::vector<std::uint64_t> sums(y.integer.size(), 0);
    multiply_all(batches, a.integer, b.integer, sums);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      y.integer[i] = wrapped(a.dtype, static_cast<std::int64_t>(sums[i]));
    }
  } else if (call.naive()) {
    std::vector<float> sums(y.real.size(), 0.0f);
    multiply_all(batches, a.real, b.real, sums);
    y.real.assign(sums.begin(), sums.end());
  } else {
    multiply_all(batches, a.real, b.real, y.real);
    if (call.bounded()) {
      y.bound.assign(y.real.size(), 0.0);
      add_bound(batches, a, b, sum_factor(batches.sizes.k), y.bound);
    }
  }
  return made;
}

Outputs matmul(const Call& call) {
  FRIT_TRY(same_dtype(call, 0, 1));
  const RefTensor& a = call.in(0);
  const RefTensor& b = call.in(1);
  if (a.dims.empty() || b.dims.empty()) return call.refuse("an operand has rank 0");
  Dims da = a.dims;
  Dims db = b.dims;
  const bool row = da.size() == 1;
  const bool column = db.size() == 1;
  if (row) da.insert(da.begin(), 1);
  if (column) db.push_back(1);
  Batches batches;
  batches.sizes = {da[da.size() - 2], da.back(), db.back()};
  if (db[db.size() - 2] != da.back()) {
    return call.refuse(
        fmt::format("{} cannot be multiplied by {}", dims_text(a.dims), dims_text(b.dims)));
  }
  RefTensor lead_a;
  RefTensor lead_b;
  lead_a.dims.assign(da.begin(), da.end() - 2);
  lead_b.dims.assign(db.begin(), db.end() - 2);
  const Result<Dims> lead = common_dims(call, {&lead_a, &lead_b});
  if (!lead) return tl::unexpected<Diagnostic>(lead.error());
  if (!count_of(*lead)) return call.refuse("has too many leading elements");
  batches.lead = *lead;
  place_batches(lead_a.dims, lead_b.dims, batches);
  Dims dims = *lead;
  if (!row) dims.push_back(batches.sizes.m);
  if (!column) dims.push_back(batches.sizes.n);
  Result<RefTensor> y = product(call, batches, a, b, dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  return one(std::move(*y));
}

// ---- Gemm: alpha * op(a) op(b) + beta * c

RefTensor transposed(const RefTensor& x) {
  RefTensor y = x;
  y.dims = {x.dims[1], x.dims[0]};
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.dims[0]); ++i) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(x.dims[1]); ++j) {
      const std::size_t from = i * static_cast<std::size_t>(x.dims[1]) + j;
      const std::size_t to = j * static_cast<std::size_t>(x.dims[0]) + i;
      if (!x.real.empty()) y.real[to] = x.real[from];
      if (!x.integer.empty()) y.integer[to] = x.integer[from];
      if (!x.bound.empty()) y.bound[to] = x.bound[from];
    }
  }
  return y;
}

// y = alpha * y + beta * c. The sum's bound already covers k terms; c is one more.
Status add_bias(const Call& call, std::int64_t terms, RefTensor& y) {
  const float alpha = call.attr("alpha", 1.0f);
  const float beta = call.attr("beta", 1.0f);
  const auto wide_alpha = static_cast<double>(alpha);
  const double wide_beta = call.has(2) ? static_cast<double>(beta) : 0.0;
  const RefTensor zero = RefTensor::from(Tensor::f32({}, {0.0f}));
  const RefTensor& c = call.has(2) ? call.in(2) : zero;
  const std::optional<Dims> strides = stretched_strides(c.dims, y.dims);
  if (!strides) {
    return call.refuse(
        fmt::format("c {} does not broadcast to {}", dims_text(c.dims), dims_text(y.dims)));
  }
  const double factor = sum_factor(terms + 1);
  walk(y.dims, std::array<Dims, 1>{*strides},
       [&](std::size_t i, const std::array<std::int64_t, 1>& at) {
         const auto from = static_cast<std::size_t>(at[0]);
         if (call.naive()) {
           float sum = alpha * static_cast<float>(y.real[i]);
           if (call.has(2)) sum += beta * static_cast<float>(c.real[from]);
           y.real[i] = static_cast<double>(sum);
           return;
         }
         y.real[i] *= wide_alpha;
         if (call.has(2)) y.real[i] += wide_beta * c.real[from];
         if (!call.bounded()) return;
         const double carried = std::fabs(wide_beta) * bound_at(c, from);
         y.bound[i] = std::fabs(wide_alpha) * y.bound[i] * (1.0 + kEps) + carried +
                      factor * std::fabs(wide_beta * c.real[from]) +
                      2.0 * kEps * std::fabs(y.real[i]);
       });
  return {};
}

// The same in integers, which wrap; alpha and beta must be whole.
Status add_whole_bias(const Call& call, RefTensor& y) {
  const float alpha = call.attr("alpha", 1.0f), beta = call.attr("beta", 1.0f);
  if (std::trunc(alpha) != alpha || std::trunc(beta) != beta) {
    return call.refuse(fmt::format("scales integers by {} and {}", alpha, beta));
  }
  const RefTensor zero = RefTensor::from(Tensor::i64({}, {0}));
  const RefTensor& c = call.has(2) ? call.in(2) : zero;
  const std::optional<Dims> strides = stretched_strides(c.dims, y.dims);
  if (!strides) return call.refuse(fmt::format("c {} does not broadcast", dims_text(c.dims)));
  const auto times = [](float factor, std::int64_t value) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(factor)) *
           static_cast<std::uint64_t>(value);
  };
  walk(y.dims, std::array<Dims, 1>{*strides},
       [&](std::size_t i, const std::array<std::int64_t, 1>& at) {
         const std::uint64_t sum =
             times(alpha, y.integer[i]) + times(beta, c.integer[static_cast<std::size_t>(at[0])]);
         y.integer[i] = wrapped(y.dtype, static_cast<std::int64_t>(sum));
       });
  return {};
}

Outputs gemm(const Call& call) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (call.has(i)) FRIT_TRY(same_dtype(call, 0, i));
  }
  if (call.in(0).dims.size() != 2 || call.in(1).dims.size() != 2) {
    return call.refuse("a or b is not a matrix");
  }
  const bool flip_a = call.attr("transA", std::int64_t{0}) != 0;
  const bool flip_b = call.attr("transB", std::int64_t{0}) != 0;
  const RefTensor a = flip_a ? transposed(call.in(0)) : call.in(0);
  const RefTensor b = flip_b ? transposed(call.in(1)) : call.in(1);
  if (a.dims[1] != b.dims[0]) {
    return call.refuse(
        fmt::format("{} cannot be multiplied by {}", dims_text(a.dims), dims_text(b.dims)));
  }
  Batches batches;
  batches.sizes = {a.dims[0], a.dims[1], b.dims[1]};
  batches.at_a = {0};
  batches.at_b = {0};
  Result<RefTensor> y = product(call, batches, a, b, {a.dims[0], b.dims[1]});
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  FRIT_TRY(is_float(y->dtype) ? add_bias(call, batches.sizes.k, *y) : add_whole_bias(call, *y));
  return one(std::move(*y));
}

}  // namespace

std::span<const Entry> matmul_entries() {
  static constexpr Entry kEntries[] = {{"MatMul", 2, 2, matmul}, {"Gemm", 2, 3, gemm}};
  return kEntries;
}

}  // namespace frit::ref

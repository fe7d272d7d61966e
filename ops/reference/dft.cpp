// DFT and STFT by their definition: each result is one sum over its row.
//
// Error model: that of one sum of products with 2N terms, twice, which covers the stages of a fast
// transform too: a stage of P points errs by 4*eps*sqrt(2P) of the absolute sum of its row.
#include <algorithm>
#include <numbers>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

struct Row {
  std::vector<double> real, imaginary, bound;  ///< bound: of either part

  explicit Row(std::size_t n) : real(n, 0.0), imaginary(n, 0.0), bound(n, 0.0) {}
};

struct Sum {
  double real = 0.0, imaginary = 0.0, bound = 0.0;
};

// sum of x[n] e^(sign 2 pi j k n / N)
Sum sum_of(const Call& call, const Row& x, std::int64_t k, double sign) {
  const auto n = static_cast<std::int64_t>(x.real.size());
  Sum sum;
  double size = 0.0;
  float real32 = 0.0F, imaginary32 = 0.0F;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double angle =
        sign * 2.0 * std::numbers::pi * static_cast<double>(i * k % n) / static_cast<double>(n);
    const double c = std::cos(angle), s = std::sin(angle);
    sum.real += x.real[at] * c - x.imaginary[at] * s;
    sum.imaginary += x.real[at] * s + x.imaginary[at] * c;
    size += std::fabs(x.real[at]) + std::fabs(x.imaginary[at]);
    sum.bound += 2.0 * x.bound[at];
    real32 += static_cast<float>(x.real[at] * c - x.imaginary[at] * s);
    imaginary32 += static_cast<float>(x.real[at] * s + x.imaginary[at] * c);
  }
  sum.bound += (2.0 * sum_factor(2 * n) + 8.0 * kEps) * size;
  if (call.naive()) {
    sum.real = static_cast<double>(real32);
    sum.imaginary = static_cast<double>(imaginary32);
  }
  return sum;
}

// The one number of an input, else `otherwise`.
std::int64_t number_of(const Call& call, std::size_t i, std::int64_t otherwise) {
  return call.has(i) && !call.in(i).integer.empty() ? call.in(i).integer[0] : otherwise;
}

// Where a signal lies in a tensor of (real) or (real, imaginary) numbers.
struct Place {
  std::int64_t origin = 0, step = 0, parts = 1;
};

void take(const RefTensor& x, const Place& place, std::int64_t count, Row& row) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto from = static_cast<std::size_t>(place.origin + i * place.step);
    const auto at = static_cast<std::size_t>(i);
    row.real[at] = x.real[from];
    row.bound[at] = bound_at(x, from);
    if (place.parts == 1) continue;
    row.imaginary[at] = x.real[from + 1];
    row.bound[at] = std::max(row.bound[at], bound_at(x, from + 1));
  }
}

void put(const Call& call, const Sum& sum, double scale, const Place& place, std::int64_t k,
         RefTensor& y) {
  const auto at = static_cast<std::size_t>(place.origin + k * place.step);
  for (std::int64_t part = 0; part < place.parts; ++part) {
    const auto to = at + static_cast<std::size_t>(part);
    y.real[to] = scale * (part == 0 ? sum.real : sum.imaginary);
    if (call.bounded()) y.bound[to] = scale * sum.bound;
  }
}

// The half spectrum as the whole one of a real signal.
void mirror(Row& row) {
  const std::size_t n = row.real.size();
  row.imaginary[0] = 0.0;
  if (n % 2 == 0) row.imaginary[n / 2] = 0.0;
  for (std::size_t k = 1; k <= (n - 1) / 2; ++k) {
    row.real[n - k] = row.real[k];
    row.imaginary[n - k] = -row.imaginary[k];
    row.bound[n - k] = row.bound[k];
  }
}

Outputs dft(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  const RefTensor& x = call.in(0);
  const std::size_t rank = x.dims.size();
  if (rank < 2 || x.dims.back() < 1 || x.dims.back() > 2) return call.refuse("its input's shape");
  const std::int64_t stated =
      call.op.opset < 20 ? call.attr("axis", std::int64_t{1}) : number_of(call, 2, -2);
  const Result<std::size_t> axis = axis_of(call, stated, rank);
  if (!axis) return tl::unexpected<Diagnostic>(axis.error());
  const bool inverse = call.attr("inverse", std::int64_t{0}) != 0;
  const bool onesided = call.attr("onesided", std::int64_t{0}) != 0;
  const bool to_real = inverse && onesided;
  const std::int64_t in = x.dims[*axis];
  const std::int64_t n = number_of(call, 1, to_real ? 2 * (in - 1) : in);
  if (n < 1 || n > kMostElements) return call.refuse("its dft_length");
  const std::int64_t out = onesided && !inverse ? n / 2 + 1 : n;
  Dims dims = x.dims;
  dims[*axis] = out;
  dims.back() = to_real ? 1 : 2;
  Result<RefTensor> y = make(call, x.dtype, dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  if (call.bounded()) y->bound.assign(y->real.size(), 0.0);
  // One row for each index of the other axes.
  Dims others = x.dims;
  others[*axis] = others.back() = 1;
  Dims from = dense_strides(x.dims), to = dense_strides(dims);
  const std::int64_t from_step = from[*axis], to_step = to[*axis];
  walk(others, std::array<Dims, 2>{from, to},
       [&](std::size_t, const std::array<std::int64_t, 2>& at) {
         Row row(static_cast<std::size_t>(n));
         take(x, {at[0], from_step, x.dims.back()}, std::min(in, to_real ? n / 2 + 1 : n), row);
         if (to_real) mirror(row);
         for (std::int64_t k = 0; k < out; ++k) {
           const Sum sum = sum_of(call, row, k, inverse ? 1.0 : -1.0);
           const double scale = inverse ? 1.0 / static_cast<double>(n) : 1.0;
           put(call, sum, scale, {at[1], to_step, dims.back()}, k, *y);
         }
       });
  return one(std::move(*y));
}

Outputs stft(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  const RefTensor& x = call.in(0);
  if (x.dims.size() != 3 || x.dims[2] < 1 || x.dims[2] > 2)
    return call.refuse("its signal's shape");
  const std::int64_t whole = call.has(2) ? call.in(2).elements() : x.dims[1];
  const std::int64_t step = number_of(call, 1, 1), n = number_of(call, 3, whole);
  if (step < 1 || n < 1 || n > x.dims[1] || (call.has(2) && n != whole)) {
    return call.refuse("its frames");
  }
  const std::int64_t frames = (x.dims[1] - n) / step + 1;
  const std::int64_t out = call.attr("onesided", std::int64_t{1}) != 0 ? n / 2 + 1 : n;
  Result<RefTensor> y = make(call, x.dtype, {x.dims[0], frames, out, 2});
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  if (call.bounded()) y->bound.assign(y->real.size(), 0.0);
  for (std::int64_t b = 0; b < x.dims[0]; ++b) {
    for (std::int64_t frame = 0; frame < frames; ++frame) {
      Row row(static_cast<std::size_t>(n));
      take(x, {(b * x.dims[1] + frame * step) * x.dims[2], x.dims[2], x.dims[2]}, n, row);
      for (std::size_t i = 0; call.has(2) && i < row.real.size(); ++i) {
        const RefTensor& window = call.in(2);
        const double w = window.real[i];
        const double size = std::fabs(row.real[i]) + std::fabs(row.imaginary[i]);
        row.bound[i] = row.bound[i] * std::fabs(w) + (size + row.bound[i]) * bound_at(window, i) +
                       kEps * size * std::fabs(w);
        row.real[i] *= w;
        row.imaginary[i] *= w;
      }
      for (std::int64_t k = 0; k < out; ++k) {
        put(call, sum_of(call, row, k, -1.0), 1.0, {(b * frames + frame) * out * 2, 2, 2}, k, *y);
      }
    }
  }
  return one(std::move(*y));
}

constexpr Entry kEntries[] = {{"DFT", 1, 3, dft}, {"STFT", 2, 4, stft}};

}  // namespace

std::span<const Entry> dft_entries() { return kEntries; }

}  // namespace frit::ref

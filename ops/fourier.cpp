#include "ops/fourier.h"

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace frit {
namespace {

using Complex = std::complex<double>;
using Ints = std::vector<std::int64_t>;

constexpr std::int64_t kMostDirect = 64;  ///< table rows that stay in the first cache

/// e^(sign 2 pi j numerator / denominator), exact on the axes.
Complex unit(std::int64_t numerator, std::int64_t denominator, bool positive) {
  numerator %= denominator;
  const std::int64_t quarters = 4 * numerator;
  if (quarters % denominator == 0) {
    static constexpr double kCos[] = {1, 0, -1, 0}, kSin[] = {0, 1, 0, -1};
    const auto quarter = static_cast<std::size_t>(quarters / denominator);
    return {kCos[quarter], positive ? kSin[quarter] : -kSin[quarter]};
  }
  const double angle =
      2.0 * std::numbers::pi * static_cast<double>(numerator) / static_cast<double>(denominator);
  return {std::cos(angle), positive ? std::sin(angle) : -std::sin(angle)};
}

/// In place, of a power of two.
void transform(std::vector<Complex>& x, bool inverse) {
  const std::size_t n = x.size();
  if (n == 1) return;
  std::vector<Complex> even(n / 2), odd(n / 2);
  for (std::size_t i = 0; i < n / 2; ++i) {
    even[i] = x[2 * i];
    odd[i] = x[2 * i + 1];
  }
  transform(even, inverse);
  transform(odd, inverse);
  for (std::size_t k = 0; k < n / 2; ++k) {
    const Complex turned =
        odd[k] * unit(static_cast<std::int64_t>(k), static_cast<std::int64_t>(n), inverse);
    x[k] = even[k] + turned;
    x[k + n / 2] = even[k] - turned;
  }
}

class Fourier {
 public:
  Fourier(Expansion& to, DType dtype, bool inverse) : to_(to), dtype_(dtype), inverse_(inverse) {}

  Ref run(Ref x, double scale, std::int64_t kept) {
    const std::int64_t n = to_.dims(x)[1];
    if (n <= kMostDirect) return direct(x, scale, kept);
    const std::int64_t p = divisor(n);
    const Ref all = p > 1 ? split(x, p, scale) : convolved(x, scale);
    return cut(all, kept);
  }

 private:
  /// The divisor up to kMostDirect nearest to the root of n; 1 where there is none.
  static std::int64_t divisor(std::int64_t n) {
    std::int64_t best = 1;
    for (std::int64_t p = 2; p <= kMostDirect && p * p <= n; ++p) {
      if (n % p == 0) best = p;
    }
    return best;
  }

  Ref table(const Ints& dims, const std::vector<double>& values) {
    if (dtype_ == DType::kF64) return to_.constant(Tensor::of(DType::kF64, dims, values));
    return to_.constant(Tensor::f32(dims, {values.begin(), values.end()}));
  }

  Ref reshape(Ref x, const Ints& dims) {
    if (to_.dims(x) == dims) return x;
    return to_.node("Reshape", {x, to_.ints(dims)}, {{"allowzero", std::int64_t{1}}});
  }

  Ref transpose(Ref x, const Ints& perm) { return to_.node("Transpose", {x}, {{"perm", perm}}); }

  Ref cut(Ref x, std::int64_t kept) {
    if (to_.dims(x)[1] == kept) return x;
    return to_.node("Slice", {x, to_.ints({0}), to_.ints({kept}), to_.ints({1})});
  }

  /// [rows, n*parts] times [n*parts, kept*2].
  Ref direct(Ref x, double scale, std::int64_t kept) {
    const Ints dims = to_.dims(x);
    const std::int64_t n = dims[1], parts = dims[2];
    std::vector<double> values(static_cast<std::size_t>(n * parts * kept * 2));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t k = 0; k < kept; ++k) {
        const Complex w = scale * unit(i * k, n, inverse_);
        const auto at = static_cast<std::size_t>(i * parts * kept * 2 + k * 2);
        values[at] = w.real();
        values[at + 1] = w.imag();
        if (parts == 1) continue;
        const std::size_t below = at + static_cast<std::size_t>(kept * 2);
        values[below] = -w.imag();
        values[below + 1] = w.real();
      }
    }
    const Ref flat = reshape(x, {dims[0], n * parts});
    return reshape(to_.node("MatMul", {flat, table({n * parts, kept * 2}, values)}),
                   {dims[0], kept, 2});
  }

  /// x: [..., 2] times complex factors of the shape `dims`, which broadcast.
  Ref turned(Ref x, Ints dims, const std::vector<Complex>& factors) {
    std::vector<double> real, imaginary;
    for (const Complex& factor : factors) {
      real.insert(real.end(), {factor.real(), factor.real()});
      imaginary.insert(imaginary.end(), {-factor.imag(), factor.imag()});
    }
    dims.push_back(2);
    const std::int64_t last = static_cast<std::int64_t>(to_.dims(x).size()) - 1;
    const Ref swapped =
        to_.node("Slice", {x, to_.ints({1}), to_.ints({-3}), to_.ints({last}), to_.ints({-1})});
    return to_.node("Add", {to_.node("Mul", {x, table(dims, real)}),
                            to_.node("Mul", {swapped, table(dims, imaginary)})});
  }

  Ref split(Ref x, std::int64_t p, double scale) {
    const Ints dims = to_.dims(x);
    const std::int64_t rows = dims[0], n = dims[1], parts = dims[2], q = n / p;
    const Ref columns = transpose(reshape(x, {rows, p, q, parts}), {0, 2, 1, 3});
    const Ref first = direct(reshape(columns, {rows * q, p, parts}), 1.0, p);
    std::vector<Complex> twiddles;
    for (std::int64_t j = 0; j < q; ++j) {
      for (std::int64_t k = 0; k < p; ++k) twiddles.push_back(unit(j * k, n, inverse_));
    }
    const Ref between =
        transpose(turned(reshape(first, {rows, q, p, 2}), {q, p}, twiddles), {0, 2, 1, 3});
    const Ref second = run(reshape(between, {rows * p, q, 2}), scale, q);
    return reshape(transpose(reshape(second, {rows, p, q, 2}), {0, 2, 1, 3}), {rows, n, 2});
  }

  /// k n = (k^2 + n^2 - (k-n)^2) / 2 makes the sum a convolution with e^(+-pi j m^2 / N).
  Ref convolved(Ref x, double scale) {
    const Ints dims = to_.dims(x);
    const std::int64_t rows = dims[0], n = dims[1];
    std::int64_t m = 1;
    while (m < 2 * n - 1) m *= 2;
    std::vector<Complex> chirp;
    for (std::int64_t i = 0; i < n; ++i) chirp.push_back(unit(i * i % (2 * n), 2 * n, inverse_));
    std::vector<Complex> filter(static_cast<std::size_t>(m));
    for (std::int64_t i = 0; i < n; ++i) {
      const Complex value = std::conj(chirp[static_cast<std::size_t>(i)]);
      filter[static_cast<std::size_t>(i)] = value;
      if (i > 0) filter[static_cast<std::size_t>(m - i)] = value;
    }
    transform(filter, false);
    for (Complex& value : filter) value /= static_cast<double>(m);
    Ref wide = x;
    if (dims[2] == 1) {
      wide = to_.node("Pad", {x, to_.ints({0, 0, 0, 0, 0, 1})});
    }
    const Ref modulated = turned(wide, {n}, chirp);
    const Ref padded = to_.node("Pad", {modulated, to_.ints({0, 0, 0, 0, m - n, 0})});
    const Ref spectrum = Fourier(to_, dtype_, false).run(padded, 1.0, m);
    const Ref filtered = turned(spectrum, {m}, filter);
    const Ref back = cut(Fourier(to_, dtype_, true).run(filtered, 1.0, m), n);
    for (Complex& value : chirp) value *= scale;
    return reshape(turned(back, {n}, chirp), {rows, n, 2});
  }

  Expansion& to_;
  DType dtype_;
  bool inverse_;
};

}  // namespace

Ref fourier_rows(Expansion& to, Ref x, const FourierRows& rows) {
  if (!to.status()) return x;
  const std::int64_t kept = rows.kept < 0 ? to.dims(x)[1] : rows.kept;
  return Fourier(to, to.type(x).dtype, rows.inverse).run(x, rows.scale, kept);
}

}  // namespace frit

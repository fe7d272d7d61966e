// What every family of the reference reads: one call, its parameters, and helpers on dense tensors.
//
// A family is one .cpp with a table of entries (see tables.h); reference.cpp joins them. Rules of
// shape are written here afresh, on purpose: nothing of ops/*.cpp is used.
//
// Error model (kDoubleBounded; NUMERICS.md): a product rounds once, eps*|y|; an addition counts
// 2*eps*(|a|+|b|), because LLVM may reassociate a + (b + c) and so rounds a partial sum that the
// graph does not name; a function errs by 4 ulp, counted as 8*eps*|y|, plus FLT_MIN (results below
// it may be flushed); a reduction of n terms by 4*eps*sqrt(n)*S. Errors of the inputs are carried
// on to first order or better. A bound of +inf means "cannot be judged" (an overflowed or
// ill-conditioned step). A NaN or Inf whose bound is finite must be met exactly.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ops/reference/reference.h"

namespace frit::ref {

using Dims = std::vector<std::int64_t>;

inline constexpr double kEps = 0x1p-24;          ///< half an ulp of 1.0f
inline constexpr double kFunction = 8.0 * kEps;  ///< 4 ulp, relative
inline constexpr double kTiny = 0x1p-126;        ///< FLT_MIN
inline constexpr double kSubnormal = 0x1p-149;
inline constexpr double kUnknown = std::numeric_limits<double>::infinity();
/// As a bound: even whether the result is finite depends on the inputs' errors. Becomes +inf.
inline constexpr double kDoubtful = -1.0;
/// Most elements that any tensor may have: 2^27, i.e. 1 GB as double (VGG-19 has 103 million
/// weights in one layer).
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 27;

/// 4*eps*sqrt(n), the factor of S for a reduction of n terms.
inline double sum_factor(std::int64_t n) { return 4.0 * kEps * std::sqrt(static_cast<double>(n)); }

struct Call {
  const OpInstance& op;
  std::span<const RefTensor* const> inputs;
  RefPrecision precision;

  bool has(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  const RefTensor& in(std::size_t i) const { return *inputs[i]; }
  bool bounded() const { return precision == RefPrecision::kDoubleBounded; }
  bool naive() const { return precision == RefPrecision::kNaive32; }
  /// "ref-unsupported": node `name` (Type): why
  tl::unexpected<Diagnostic> refuse(const std::string& why) const;
  std::int64_t attr(const char* name, std::int64_t otherwise) const;
  float attr(const char* name, float otherwise) const;
};

using Outputs = Result<std::vector<RefTensor>>;
using Function = Outputs (*)(const Call&);

struct Entry {
  std::string_view type;   ///< "Relu"; "com.microsoft.Gelu" outside of ONNX's own domain
  std::size_t min_inputs;  ///< present, in this many first places, before the function is called
  std::size_t max_inputs;
  Function function;
};

/// A result of one output.
Outputs one(RefTensor tensor);

/// An output with room for its elements: zero-filled `real` or `integer`.
Result<RefTensor> make(const Call& call, DType dtype, const Dims& dims);
/// Status of "inputs a and b have one dtype", or a refusal naming both.
Status same_dtype(const Call& call, std::size_t a, std::size_t b);
/// Refuses an input that is not of a float type (or not of an integer or bool type).
Status need_float(const Call& call, std::size_t i);
Status need_integer(const Call& call, std::size_t i);
/// Input i as exact integers.
Result<Dims> ints_input(const Call& call, std::size_t i);
/// The attribute, else input i, else nothing.
Result<std::optional<Dims>> ints_parameter(const Call& call, const char* name, std::size_t i);
/// Refuses a parameter without `length` numbers, each from `low` to kMostElements.
Status check_list(const Call& call, const char* name, const Dims& list, std::size_t length,
                  std::int64_t low);
/// Axis in [0, rank), or a refusal.
Result<std::size_t> axis_of(const Call& call, std::int64_t axis, std::size_t rank);
/// Sorted, each once.
Result<std::vector<std::size_t>> axes_of(const Call& call, const Dims& axes, std::size_t rank);
/// Product; nullopt for an extent outside [0, kMostElements] or a larger product.
std::optional<std::int64_t> count_of(const Dims& dims);
/// Elements between neighbours of each axis, dense row-major.
Dims dense_strides(const Dims& dims);
/// Strides of `from` seen with the extents `to` (0 on stretched axes); nullopt: does not broadcast.
std::optional<Dims> stretched_strides(const Dims& from, const Dims& to);
/// The common extents of ONNX broadcasting.
Result<Dims> common_dims(const Call& call, const std::vector<const RefTensor*>& tensors);

/// bound[i], or 0 where none is kept.
inline double bound_at(const RefTensor& tensor, std::size_t i) {
  return tensor.bound.empty() ? 0.0 : tensor.bound[i];
}
/// Value i as a double, whatever the type.
inline double number_at(const RefTensor& tensor, std::size_t i) {
  return tensor.real.empty() ? static_cast<double>(tensor.integer[i]) : tensor.real[i];
}
/// Two's complement wrap of an integer to the width of `dtype`.
std::int64_t wrapped(DType dtype, std::int64_t value);
/// `value` rounded once to the float type `dtype`.
double rounded(DType dtype, double value);

/// Visits every index of `dims` in order: f(output, offsets), one offset for each stride vector.
template <std::size_t N, class F>
void walk(const Dims& dims, const std::array<Dims, N>& strides, F f) {
  const std::size_t rank = dims.size();
  for (const std::int64_t extent : dims) {
    if (extent == 0) return;
  }
  Dims index(rank, 0);
  std::array<std::int64_t, N> offset{};
  const std::int64_t inner = rank == 0 ? 1 : dims[rank - 1];
  std::array<std::int64_t, N> step{};
  for (std::size_t k = 0; k < N; ++k) step[k] = rank == 0 ? 0 : strides[k][rank - 1];
  std::size_t output = 0;
  while (true) {
    std::array<std::int64_t, N> at = offset;
    for (std::int64_t i = 0; i < inner; ++i, ++output) {
      f(output, at);
      for (std::size_t k = 0; k < N; ++k) at[k] += step[k];
    }
    std::size_t axis = rank < 2 ? 0 : rank - 1;
    while (axis > 0) {
      --axis;
      for (std::size_t k = 0; k < N; ++k) offset[k] += strides[k][axis];
      if (++index[axis] < dims[axis]) break;
      for (std::size_t k = 0; k < N; ++k) offset[k] -= strides[k][axis] * dims[axis];
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (rank < 2) return;
  }
}

}  // namespace frit::ref

#include "generators/verify/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace frit {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double number_at(const RefTensor& tensor, std::size_t i) {
  return tensor.real.empty() ? static_cast<double>(tensor.integer[i]) : tensor.real[i];
}

std::vector<std::int64_t> index_of(std::int64_t element, const std::vector<std::int64_t>& dims) {
  std::vector<std::int64_t> index(dims.size());
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    index[axis] = element % dims[axis];
    element /= dims[axis];
  }
  return index;
}

// How far an element is off, in tolerances.
double ratio_of(double value, double reference, double tolerance) {
  if (std::isnan(reference)) return std::isnan(value) ? 0.0 : kInfinite;
  if (std::isinf(reference)) return value == reference ? 0.0 : kInfinite;
  if (value == reference) return 0.0;
  if (!std::isfinite(value)) {
    // a result within its tolerance of the largest float may round to infinity
    const bool may_overflow = std::isinf(value) && std::signbit(value) == std::signbit(reference) &&
                              std::fabs(reference) + tolerance >= 0x1.FFFFFFp127;
    return may_overflow ? 1.0 : kInfinite;
  }
  return std::fabs(value - reference) / tolerance;
}

// Sums over the elements, filled one by one.
struct Sums {
  double absolute = 0.0, dot = 0.0, value2 = 0.0, reference2 = 0.0;
  std::int64_t finite = 0;
};

void add_norms(Sums& sums, double value, double reference, Comparison& result) {
  if (!std::isfinite(value) || !std::isfinite(reference)) return;
  const double difference = std::fabs(value - reference);
  sums.absolute += difference;
  result.linf = std::max(result.linf, difference);
  sums.dot += value * reference;
  sums.value2 += value * value;
  sums.reference2 += reference * reference;
  ++sums.finite;
}

void finish_norms(const Sums& sums, Comparison& result) {
  if (sums.finite > 0) result.l1 = sums.absolute / static_cast<double>(sums.finite);
  const double scale = std::sqrt(sums.value2) * std::sqrt(sums.reference2);
  if (scale > 0.0) {
    result.cosine = sums.dot / scale;
  } else {
    result.cosine = sums.value2 == sums.reference2 ? 1.0 : 0.0;
  }
}

// `tolerance_of(i)`: allowed difference of element i; +inf: not judged.
template <class F>
Comparison compare(const Tensor& value, const RefTensor& reference, F tolerance_of) {
  Comparison result;
  const TensorType wanted(reference.dtype, reference.dims);
  if (value.type() != wanted) {
    result.fault = fmt::format("the result is {} but the reference is {}", to_text(value.type()),
                               to_text(wanted));
    return result;
  }
  const RefTensor found = RefTensor::from(value);
  result.elements = value.elements();
  Sums sums;
  for (std::int64_t e = 0; e < result.elements; ++e) {
    const auto i = static_cast<std::size_t>(e);
    const double got = number_at(found, i);
    const double want = number_at(reference, i);
    const double tolerance = tolerance_of(i);
    add_norms(sums, got, want, result);
    if (std::isinf(tolerance)) {
      ++result.unjudged;
      continue;
    }
    const double ratio = ratio_of(got, want, tolerance);
    if (ratio > 1.0) ++result.mismatches;
    if (result.worst >= 0 && !(ratio > result.worst_ratio)) continue;
    result.worst = e;
    result.worst_value = got;
    result.worst_reference = want;
    result.worst_tolerance = tolerance;
    result.worst_ratio = ratio;
  }
  finish_norms(sums, result);
  if (result.worst >= 0) result.worst_index = index_of(result.worst, reference.dims);
  result.passed = result.mismatches == 0;
  return result;
}

}  // namespace

Comparison compare_bounded(const Tensor& value, const RefTensor& reference) {
  return compare(value, reference,
                 [&](std::size_t i) { return reference.bound.empty() ? 0.0 : reference.bound[i]; });
}

double max_difference(const RefTensor& a, const RefTensor& b) {
  double most = 0.0;
  const auto count = static_cast<std::size_t>(std::min(a.elements(), b.elements()));
  for (std::size_t i = 0; i < count; ++i) {
    const double difference = std::fabs(number_at(a, i) - number_at(b, i));
    if (std::isfinite(difference)) most = std::max(most, difference);
  }
  return most;
}

double max_size(const RefTensor& a) {
  double most = 0.0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.elements()); ++i) {
    const double size = std::fabs(number_at(a, i));
    if (std::isfinite(size)) most = std::max(most, size);
  }
  return most;
}

Comparison compare_model(const Tensor& value, const RefTensor& reference, const RefTensor& naive,
                         const Tensor* ort, double slack) {
  double error = max_difference(naive, reference);
  if (ort != nullptr) error = std::max(error, max_difference(RefTensor::from(*ort), reference));
  const double tolerance = 2.0 * error + slack * max_size(reference);
  return compare(value, reference, [tolerance](std::size_t) { return tolerance; });
}

std::string to_text(const Comparison& comparison) {
  if (!comparison.fault.empty()) return "wrong: " + comparison.fault;
  std::string text = comparison.passed ? fmt::format("ok, {} elements", comparison.elements)
                                       : fmt::format("wrong, {} of {} elements",
                                                     comparison.mismatches, comparison.elements);
  if (comparison.unjudged > 0) text += fmt::format(" ({} cannot be judged)", comparison.unjudged);
  if (comparison.worst >= 0) {
    text +=
        fmt::format(", worst {:.3g} of tolerance at {}: {:.9g} for {:.9g} (tolerance {:.3g})",
                    comparison.worst_ratio, dims_text(comparison.worst_index),
                    comparison.worst_value, comparison.worst_reference, comparison.worst_tolerance);
  }
  return text + fmt::format(", l1 {:.3g}, linf {:.3g}, cos {:.7f}", comparison.l1, comparison.linf,
                            comparison.cosine);
}

}  // namespace frit

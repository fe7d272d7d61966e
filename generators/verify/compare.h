// Judges a kernel's or a model's result against the reference, by the rules of NUMERICS.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ops/reference/reference.h"

namespace frit {

struct Comparison {
  bool passed = false;
  std::string fault;  ///< why nothing could be compared: types differ; empty otherwise
  std::int64_t elements = 0;
  std::int64_t mismatches = 0;
  std::int64_t unjudged = 0;  ///< elements whose bound is infinite
  /// The worst element: the one with the largest |value - reference| / tolerance; -1: none.
  std::int64_t worst = -1;
  std::vector<std::int64_t> worst_index;
  double worst_value = 0.0;
  double worst_reference = 0.0;
  double worst_tolerance = 0.0;
  double worst_ratio = 0.0;  ///< above 1 is a mismatch; +inf where NaN or Inf differ in class
  // over elements that are finite in both
  double l1 = 0.0;    ///< mean |value - reference|
  double linf = 0.0;  ///< max |value - reference|
  double cosine = 1.0;
};

/// One group: |value - reference| <= reference.bound, element by element. A NaN or Inf of the
/// reference must be met in kind and sign; integers and bools must be equal unless their bound
/// says that the step could go either way.
Comparison compare_bounded(const Tensor& value, const RefTensor& reference);

/// Largest finite |a - b|; 0 for no elements.
double max_difference(const RefTensor& a, const RefTensor& b);
/// Largest finite |a|.
double max_size(const RefTensor& a);

/// A whole model, one output: |value - reference| <= 2 max(|ort - reference|, |naive - reference|)
/// + slack max|reference|, with max norms over the tensor. `ort` may be null. slack: 1e-6, or 1e-4
/// under `fast` numerics.
Comparison compare_model(const Tensor& value, const RefTensor& reference, const RefTensor& naive,
                         const Tensor* ort, double slack = 1e-6);

/// "ok, 1024 elements, worst 0.31 of tolerance at [0,3,1]: 0.52 for 0.52 (tolerance 1e-07), …"
std::string to_text(const Comparison& comparison);

}  // namespace frit

// Plain-loop double evaluation of every operator, with a running error bound.
//
// Shares no code with the Halide side: it is what kernels are judged by. Handles the form of every
// supported opset (parameters as inputs or attributes) and the canonical form of ops/README.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/base/result.h"
#include "ops/instance.h"

namespace frit {

/// A value under evaluation. Float types live in `real`, integer and bool types in `integer`.
struct RefTensor {
  DType dtype = DType::kF32;
  std::vector<std::int64_t> dims;
  std::vector<double> real;
  std::vector<double>
      bound;  ///< |float kernel - real| allowed by NUMERICS.md; empty: not asked for
  std::vector<std::int64_t> integer;

  std::int64_t elements() const;
  static RefTensor from(const Tensor& tensor);
  /// Rounded once to `dtype`.
  Tensor to_tensor() const;
};

enum class RefPrecision : std::uint8_t {
  kDouble,         ///< double throughout
  kDoubleBounded,  ///< double, and `bound` is propagated (inputs without one count as exact)
  kNaive32,        ///< every operation and every running sum rounded to float32, textbook order
};

/// Evaluates one node. op.outputs need not be filled. Error: "ref-unsupported" naming the node.
Result<std::vector<RefTensor>> evaluate_reference(const OpInstance& op,
                                                  std::span<const RefTensor* const> inputs,
                                                  RefPrecision precision);

/// True where evaluate_reference knows the operator.
bool has_reference(std::string_view domain, std::string_view type);

}  // namespace frit

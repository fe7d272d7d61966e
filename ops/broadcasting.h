// What operators with ONNX's multidirectional broadcasting share: shape rule, reads and the result.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// out[i] = f(a[i], b[i], …), of any number of inputs.
class Broadcasting : public Operator {
 public:
  OpKind kind(const OpInstance&) const override { return OpKind::kPointwise; }

 protected:
  /// The common shape of all inputs, of `dtype`.
  static Result<std::vector<TensorType>> broadcast_to(const OpInstance& op, DType dtype);
  /// An operand's element in its compute type.
  static Halide::Expr read(const StageBuilder& stages, const Operand& operand);
  static void write(const OpInstance& op, StageBuilder& stages, const Halide::Expr& value,
                    int cost);
};

}  // namespace frit

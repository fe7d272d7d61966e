#include "ops/broadcasting.h"

#include <numeric>

#include "ops/broadcast.h"
#include "ops/halide_type.h"
#include "ops/rules.h"

namespace frit {

using Halide::Expr;

Result<std::vector<TensorType>> Broadcasting::broadcast_to(const OpInstance& op, DType dtype) {
  std::vector<std::size_t> all(op.inputs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  auto shape = broadcast_inputs(op, all);
  if (!shape) return fail(shape.error());
  TensorType type;
  type.dtype = dtype;
  type.shape = std::move(*shape);
  return std::vector{type};
}

Expr Broadcasting::read(const StageBuilder& stages, const Operand& operand) {
  const Expr x = read_broadcast(operand, stages.index(), stages.extents());
  return Halide::cast(compute_type(x.type()), x);
}

void Broadcasting::write(const OpInstance& op, StageBuilder& stages, const Expr& value, int cost) {
  Stage& out = stages.stage("");
  out() = Halide::cast(halide_type(op.outputs.at(0).dtype), value);
  out.op_cost = cost;
}

}  // namespace frit

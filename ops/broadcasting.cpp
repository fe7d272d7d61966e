#include "ops/broadcasting.h"

#include <array>

#include "ops/broadcast.h"
#include "ops/halide_type.h"
#include "ops/rules.h"

namespace frit {

using Halide::Expr;

Result<std::vector<TensorType>> Broadcasting::broadcast_to(const OpInstance& op, DType dtype) {
  constexpr std::array<std::size_t, 3> kAll = {0, 1, 2};
  auto shape = broadcast_inputs(op, std::span(kAll).first(op.inputs.size()));
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

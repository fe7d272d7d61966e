#include "ops/unary.h"

#include "ops/rules.h"

namespace frit {

Unary::Unary(const UnaryRule& rule) : rule_(rule) {
  for (const UnaryRule::Parameter& parameter : rule.parameters) {
    if (parameter.name != nullptr) known_.push_back({parameter.name, AttributeKind::kFloat});
  }
}

Result<std::vector<TensorType>> Unary::infer(const OpInstance& op) const {
  FRIT_TRY(check_inputs(op, 1, 1));
  FRIT_TRY(check_dtype(op, 0, "its input", rule_.types()));
  return std::vector{op.input(0)};
}

Status Unary::canonicalise(OpInstance& op) const {
  for (const UnaryRule::Parameter& parameter : rule_.parameters) {
    if (parameter.name == nullptr) continue;
    op.attributes[parameter.name] =
        float_attribute(op.attributes, parameter.name, parameter.otherwise);
  }
  return {};
}

void Unary::build(const OpInstance& op, const std::vector<Operand>& operands,
                  StageBuilder& stages) const {
  Stage& out = stages.stage("");
  const Halide::Expr x = operands[0].at(stages.index());
  const Halide::Expr y = rule_.value(op.attributes, Halide::cast(compute_type(x.type()), x));
  out() = Halide::cast(halide_type(op.outputs.at(0).dtype), y);
  out.op_cost = rule_.cost;
}

Counts Unary::counts(const OpInstance& op) const {
  const std::int64_t elements = op.outputs.at(0).elements();
  return {elements * rule_.flop, elements * rule_.transcendental};
}

}  // namespace frit

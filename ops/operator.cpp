#include "ops/operator.h"

#include "ops/base/assert.h"

namespace frit {

Status Operator::canonicalise(OpInstance&) const { return {}; }

Status Operator::expand(const OpInstance&, Expansion&) const {
  FRIT_ASSERT(false, std::string(type()) + " does not expand");
}

void Composite::build(const OpInstance&, const std::vector<Operand>&, StageBuilder&) const {
  FRIT_ASSERT(false, std::string(type()) + " should have been expanded");
}

std::string Operator::anchor(const OpInstance&) const { return ""; }

std::vector<std::string> Operator::axis_names(const OpInstance& op) const {
  const int rank = op.outputs.at(0).rank();
  if (rank == 4) return {"n", "c", "y", "x"};
  std::vector<std::string> names;
  for (int axis = 0; axis < rank; ++axis) names.push_back("d" + std::to_string(axis));
  return names;
}

Facts Operator::facts(const OpInstance& op) const {
  Facts facts;
  const std::vector<std::string> names = axis_names(op);
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    facts[names[axis]] = op.outputs.at(0).dims()[axis];
  }
  return facts;
}

std::vector<std::string> Operator::constant_axes(const OpInstance& op, std::size_t input) const {
  std::vector<std::string> names;
  for (int axis = 0; axis < op.input(input).rank(); ++axis)
    names.push_back("d" + std::to_string(axis));
  return names;
}

std::string Operator::constant_role(const OpInstance&, std::size_t) const { return ""; }

Operator::Reach Operator::reach(const OpInstance&, std::size_t) const { return {}; }

Counts Operator::counts(const OpInstance& op) const {
  Counts counts;
  counts.flop = op.outputs.at(0).elements();
  return counts;
}

}  // namespace frit

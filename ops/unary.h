// Operators of one data input from a table: out[i] = f(x[i]), with float attributes.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "ops/halide_type.h"
#include "ops/operator.h"

namespace frit {

struct UnaryRule {
  std::string_view type;
  std::string_view formula;
  int first_opset;
  std::span<const DType> (*types)();
  Halide::Expr (*value)(const AttributeMap& attributes, const Halide::Expr& x);  ///< compute type
  int cost;                                                                      ///< Stage::op_cost
  int flop;                                                                      ///< per element
  int transcendental;                                                            ///< per element
  /// Float attributes, sorted by name, and what they are when left out.
  struct Parameter {
    const char* name = nullptr;
    float otherwise = 0.0F;
  };
  std::array<Parameter, 2> parameters{};
  std::string_view domain{};
};

/// `value` in the type of x.
inline Halide::Expr number_like(const Halide::Expr& x, double value) {
  return constant_of(x.type(), value);
}
/// A parameter of a rule, filled in by then, in the type of x.
inline Halide::Expr parameter_like(const Halide::Expr& x, const AttributeMap& attributes,
                                   const char* name) {
  return number_like(x, static_cast<double>(float_attribute(attributes, name, 0.0F)));
}

/// Shared by all operators of one data input.
class OneInput : public Operator {
 public:
  OpKind kind(const OpInstance&) const override { return OpKind::kPointwise; }
};

class Unary : public OneInput {
 public:
  explicit Unary(const UnaryRule& rule);
  std::string_view type() const override { return rule_.type; }
  std::string_view domain() const override { return rule_.domain; }
  std::string_view formula() const override { return rule_.formula; }
  int first_opset() const override { return rule_.first_opset; }
  const Attributes& attributes() const override { return known_; }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override;
  Status canonicalise(OpInstance& op) const override;
  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override;
  Counts counts(const OpInstance& op) const override;

 private:
  const UnaryRule& rule_;
  Attributes known_;
};

}  // namespace frit

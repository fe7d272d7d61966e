// Activations that ONNX defines by other operators.
#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
namespace {

/// Celu(x) = max(0, x) + min(0, alpha (e^(x/alpha) - 1)) = alpha Elu(x / alpha). Opset 12.
class Celu final : public Composite {
 public:
  std::string_view type() const override { return "Celu"; }
  int first_opset() const override { return 12; }
  const std::vector<KnownAttribute>* attributes() const override {
    static const std::vector<KnownAttribute> all = {{"alpha", AttributeKind::kFloat}};
    return &all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    return std::vector{op.input(0)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ref x = to.input(0);
    const Ref alpha = to.scalar(to.type(x).dtype, float_attribute(op.attributes, "alpha", 1.0F));
    to.output(0, to.node("Mul", {to.node("Elu", {to.node("Div", {x, alpha})}), alpha}));
    return to.status();
  }
};

}  // namespace

void add_activations(std::vector<const Operator*>& all) { all.push_back(new Celu); }

}  // namespace frit

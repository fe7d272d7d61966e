// A frit that knows one operator more: com.example::SoftCap(x; cap) = cap tanh(x / cap), the soft
// limit of attention scores. Every command of frit is there, with this operator fused as any other.
#include <cmath>

#include "apps/frit/program.h"
#include "ops/halide_type.h"
#include "ops/math.h"
#include "ops/register.h"
#include "ops/rules.h"

namespace {

using namespace frit;

class SoftCap final : public Operator {
 public:
  std::string_view domain() const override { return "com.example"; }
  std::string_view type() const override { return "SoftCap"; }
  OpKind kind(const OpInstance&) const override { return OpKind::kPointwise; }
  std::string_view formula() const override { return "out[i] = cap * tanh(x[i] / cap)"; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"cap", AttributeKind::kFloat}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    if (cap_of(op) > 0.0F) return std::vector{op.input(0)};
    return fail("onnx-attribute",
                label(op) + ": cap is not above 0; give the greatest size of an output");
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    Stage& out = stages.stage("");
    const Halide::Expr x = operands[0].at(stages.index());
    const Halide::Expr wide = Halide::cast(compute_type(x.type()), x);
    const Halide::Expr cap = constant_of(wide.type(), static_cast<double>(cap_of(op)));
    out() = Halide::cast(x.type(), cap * math::tanh(wide / cap));
    out.op_cost = 25;  // of vector instructions: see ops/math.h
  }

  Counts counts(const OpInstance& op) const override {
    return {2 * op.outputs.at(0).elements(), op.outputs.at(0).elements()};
  }

  static float cap_of(const OpInstance& op) { return float_attribute(op.attributes, "cap", 30.0F); }
};

/// Written apart from the above, in double: what `frit verify` judges by.
ref::Outputs soft_cap_reference(const ref::Call& call) {
  FRIT_TRY(ref::need_float(call, 0));
  const RefTensor& x = call.in(0);
  auto made = ref::make(call, x.dtype, x.dims);
  if (!made) return tl::unexpected(made.error());
  RefTensor y = std::move(*made);
  const double cap = static_cast<double>(call.attr("cap", 30.0F));
  for (std::size_t i = 0; i < y.real.size(); ++i) y.real[i] = cap * std::tanh(x.real[i] / cap);
  if (call.bounded()) {
    y.bound.resize(y.real.size());
    for (std::size_t i = 0; i < y.real.size(); ++i) {
      // tanh within 4 ulp, its argument and the product rounded once; an input's error is never
      // enlarged: the slope is at most 1
      y.bound[i] = ref::bound_at(x, i) + (ref::kFunction + 2 * ref::kEps) * std::fabs(y.real[i]) +
                   ref::kTiny;
    }
  }
  return ref::one(std::move(y));
}

}  // namespace

int main(int argc, char** argv) {
  static const SoftCap soft_cap;
  frit::register_operator(soft_cap);
  frit::ref::register_reference({"com.example.SoftCap", 1, 1, soft_cap_reference});
  return frit::run_program(argc, argv);
}

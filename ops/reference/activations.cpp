// Activations that ONNX defines by other operators.
#include "ops/reference/steps.h"

namespace frit::ref {
namespace {

Outputs celu(const Call& call) {
  Steps steps(call);
  const RefTensor* x = &call.in(0);
  const RefTensor* alpha = steps.scalar(x->dtype, static_cast<double>(call.attr("alpha", 1.0F)));
  const RefTensor* inner = steps.run("Elu", {steps.run("Div", {x, alpha})});
  return steps.outputs({steps.run("Mul", {inner, alpha})});
}

constexpr Entry kEntries[] = {{"Celu", 1, 1, celu}};

}  // namespace

std::span<const Entry> activation_entries() { return kEntries; }

}  // namespace frit::ref

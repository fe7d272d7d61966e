// A reference written as a chain of others, for operators that their specification defines so.
//
//   Outputs celu(const Call& call) {
//     Steps steps(call);
//     const RefTensor* x = &call.in(0);
//     const RefTensor* alpha = steps.scalar(x->dtype, call.attr("alpha", 1.0f));
//     const RefTensor* inner = steps.run("Elu", {steps.run("Div", {x, alpha})});
//     return steps.outputs({steps.run("Mul", {inner, alpha})});
//   }
//
// Error bounds follow from those of the steps, and kNaive32 rounds after each.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "ops/reference/call.h"

namespace frit::ref {

class Steps {
 public:
  explicit Steps(const Call& call) : call_(call) {}

  /// The first result of an operator (newest opset) on these; nullptr: omitted.
  /// After a refusal: an empty tensor, and outputs() gives the refusal.
  const RefTensor* run(const std::string& type, const std::vector<const RefTensor*>& inputs,
                       AttributeMap attributes = {}, const std::string& domain = "");
  /// Any of its results.
  std::vector<const RefTensor*> run_all(const std::string& type,
                                        const std::vector<const RefTensor*>& inputs,
                                        AttributeMap attributes = {},
                                        const std::string& domain = "");
  /// Of rank 0, rounded to `dtype`.
  const RefTensor* scalar(DType dtype, double value);
  const RefTensor* ints(const Dims& values);
  const RefTensor* keep(RefTensor tensor);
  /// Takes a computed tensor, or notes its refusal.
  const RefTensor* keep(Result<RefTensor> tensor);

  /// The first refusal of a step.
  const Status& status() const { return status_; }
  Outputs outputs(const std::vector<const RefTensor*>& results) const;

 private:
  const Call& call_;
  std::deque<RefTensor> kept_;
  Status status_;
};

}  // namespace frit::ref

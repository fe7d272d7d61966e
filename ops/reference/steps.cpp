#include "ops/reference/steps.h"

#include <utility>

#include "ops/expansion.h"

namespace frit::ref {

const RefTensor* Steps::run(const std::string& type, const std::vector<const RefTensor*>& inputs,
                            AttributeMap attributes, const std::string& domain) {
  return run_all(type, inputs, std::move(attributes), domain).at(0);
}

std::vector<const RefTensor*> Steps::run_all(const std::string& type,
                                             const std::vector<const RefTensor*>& inputs,
                                             AttributeMap attributes, const std::string& domain) {
  static const RefTensor kAfterRefusal;
  if (!status_) return std::vector<const RefTensor*>(8, &kAfterRefusal);
  OpInstance op;
  op.domain = domain;
  op.type = type;
  op.name = call_.op.name;
  op.opset = kExpansionOpset;
  op.attributes = std::move(attributes);
  for (const RefTensor* input : inputs) {
    op.inputs.push_back(input ? std::optional(TensorType(input->dtype, input->dims))
                              : std::nullopt);
    op.constants.emplace_back();
  }
  auto results = evaluate_reference(op, inputs, call_.precision);
  if (!results) {
    status_ = fail(results.error());
    return std::vector<const RefTensor*>(8, &kAfterRefusal);
  }
  std::vector<const RefTensor*> kept;
  for (RefTensor& result : *results) kept.push_back(keep(std::move(result)));
  return kept;
}

const RefTensor* Steps::scalar(DType dtype, double value) {
  RefTensor tensor;
  tensor.dtype = dtype;
  if (is_float(dtype)) {
    tensor.real = {rounded(dtype, value)};
  } else {
    tensor.integer = {static_cast<std::int64_t>(value)};
  }
  return keep(std::move(tensor));
}

const RefTensor* Steps::ints(const Dims& values) {
  RefTensor tensor;
  tensor.dtype = DType::kI64;
  tensor.dims = {static_cast<std::int64_t>(values.size())};
  tensor.integer = values;
  return keep(std::move(tensor));
}

const RefTensor* Steps::keep(RefTensor tensor) {
  kept_.push_back(std::move(tensor));
  return &kept_.back();
}

const RefTensor* Steps::keep(Result<RefTensor> tensor) {
  if (tensor) return keep(std::move(*tensor));
  if (status_) status_ = fail(tensor.error());
  return keep(RefTensor());
}

Outputs Steps::outputs(const std::vector<const RefTensor*>& results) const {
  if (!status_) return tl::unexpected<Diagnostic>(status_.error());
  std::vector<RefTensor> copies;
  for (const RefTensor* result : results) copies.push_back(*result);
  return copies;
}

}  // namespace frit::ref

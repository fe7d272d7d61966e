// Evaluates one operator with the reference, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ops/reference/reference.h"

namespace frit::test {

inline RefTensor f32(std::vector<std::int64_t> dims, const std::vector<float>& values) {
  return RefTensor::from(Tensor::f32(std::move(dims), values));
}
inline RefTensor i64(std::vector<std::int64_t> dims, const std::vector<std::int64_t>& values) {
  return RefTensor::from(Tensor::i64(std::move(dims), values));
}
inline RefTensor boolean(std::vector<std::int64_t> dims, std::vector<std::int64_t> values) {
  RefTensor tensor = i64(std::move(dims), values);
  tensor.dtype = DType::kBool;
  return tensor;
}
/// 0, 1, 2 … times `scale`.
inline RefTensor counting(std::vector<std::int64_t> dims, float scale = 1.0f, float first = 0.0f) {
  std::vector<float> values(static_cast<std::size_t>(TensorType(DType::kF32, dims).elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + scale * static_cast<float>(i);
  return f32(std::move(dims), values);
}

struct OneNode {
  std::string type;
  AttributeMap attributes = {};
  int opset = 17;
  std::size_t outputs = 1;
};

inline Result<std::vector<RefTensor>> evaluate(const OneNode& node,
                                               const std::vector<RefTensor>& inputs,
                                               RefPrecision precision = RefPrecision::kDouble) {
  OpInstance op;
  op.type = node.type;
  op.name = "n";
  op.opset = node.opset;
  op.attributes = node.attributes;
  op.outputs.resize(node.outputs);
  std::vector<const RefTensor*> pointers;
  for (const RefTensor& input : inputs) pointers.push_back(&input);
  return evaluate_reference(op, pointers, precision);
}

}  // namespace frit::test

// One node with its facts resolved: what every rule about an operator reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ops/base/attribute.h"

namespace frit {

/// `type` is the ONNX name ("Conv"). `opset` is the model's for that domain.
/// An omitted optional input is nullopt in `inputs`; `constants[i]` is set where the value of
/// input i is known (same length as `inputs`).
struct OpInstance {
  std::string domain;  ///< "" is ONNX's default domain
  std::string type;
  std::string name;  ///< node name, for messages
  int opset = 0;
  AttributeMap attributes;
  std::vector<std::optional<TensorType>> inputs;
  std::vector<std::optional<Tensor>> constants;
  std::vector<TensorType> outputs;  ///< filled by shape inference

  bool has_input(std::size_t i) const { return i < inputs.size() && inputs[i].has_value(); }
  const TensorType& input(std::size_t i) const { return *inputs[i]; }
  const Tensor* constant(std::size_t i) const {
    return i < constants.size() && constants[i] ? &*constants[i] : nullptr;
  }
};

}  // namespace frit

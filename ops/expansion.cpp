#include "ops/expansion.h"

#include <utility>

#include "ops/base/assert.h"
#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
Expansion::Expansion(const OpInstance& op) : name_(op.name), label_(label(op)), inputs_(op.inputs) {
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const Tensor* constant = op.inputs[i] ? op.constant(i) : nullptr;
    add({op.inputs[i].value_or(TensorType()), constant ? std::optional(*constant) : std::nullopt});
  }
}

int Expansion::add(Value value) {
  values_.push_back(std::move(value));
  return static_cast<int>(values_.size()) - 1;
}

Ref Expansion::input(std::size_t i) const {
  return i < inputs_.size() && inputs_[i] ? Ref(static_cast<int>(i)) : Ref();
}

Ref Expansion::constant(Tensor tensor) {
  Value value{tensor.type(), {}};
  value.constant = std::move(tensor);
  return Ref(add(std::move(value)));
}

Ref Expansion::scalar(DType dtype, double value) { return constant(Tensor::scalar(dtype, value)); }

Ref Expansion::ints(const std::vector<std::int64_t>& values) {
  return constant(Tensor::i64({static_cast<std::int64_t>(values.size())}, values));
}

const TensorType& Expansion::type(Ref ref) const {
  static const TensorType kAfterRefusal;
  if (!ref && !status_) return kAfterRefusal;
  FRIT_ASSERT(bool(ref), "the type of an omitted value");
  return values_[static_cast<std::size_t>(ref.id_)].type;
}

const Tensor* Expansion::known(Ref ref) const {
  if (!ref) return nullptr;
  const auto& constant = values_[static_cast<std::size_t>(ref.id_)].constant;
  return constant ? &*constant : nullptr;
}

Ref Expansion::node(const std::string& type, const std::vector<Ref>& inputs,
                    AttributeMap attributes, const std::string& domain) {
  return nodes(type, 1, inputs, std::move(attributes), domain)[0];
}

std::vector<Ref> Expansion::nodes(const std::string& type, std::size_t outputs,
                                  const std::vector<Ref>& inputs, AttributeMap attributes,
                                  const std::string& domain) {
  if (!status_) return std::vector<Ref>(outputs);
  Node node;
  node.op.domain = domain;
  node.op.type = type;
  node.op.name = name_;
  node.op.opset = kExpansionOpset;
  node.op.attributes = std::move(attributes);
  node.op.outputs.resize(outputs);
  for (const Ref ref : inputs) {
    node.inputs.push_back(ref.id_);
    const Value* value = ref ? &values_[static_cast<std::size_t>(ref.id_)] : nullptr;
    node.op.inputs.push_back(value ? std::optional(value->type) : std::nullopt);
    node.op.constants.push_back(value ? value->constant : std::nullopt);
  }
  const Operator* rule = find_operator(domain, type);
  FRIT_ASSERT(rule != nullptr, label_ + " expands to " + type + ", which is no operator");
  auto types = rule->infer(node.op);
  if (!types) {
    Diagnostic problem = types.error();
    problem.notes.push_back("in what " + label_ + " stands for");
    status_ = fail(std::move(problem));
    return std::vector<Ref>(outputs);
  }
  FRIT_ASSERT(types->size() >= outputs, type + " gives fewer results than " + label_ + " asks for");
  std::vector<Ref> results;
  for (std::size_t i = 0; i < outputs; ++i) {
    node.op.outputs[i] = (*types)[i];
    results.push_back(Ref(add({(*types)[i], {}})));
    node.outputs.push_back(results.back().id_);
  }
  nodes_.push_back(std::move(node));
  return results;
}

void Expansion::output(std::size_t i, Ref ref) {
  if (outputs_.size() <= i) outputs_.resize(i + 1, -1);
  outputs_[i] = ref.id_;
}

}  // namespace frit

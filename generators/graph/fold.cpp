#include "generators/graph/fold.h"

#include <algorithm>

#include "ops/operator.h"
#include "ops/reference/reference.h"

namespace frit {
namespace {

// Shape and Size, from the type alone.
std::optional<std::vector<Tensor>> fold_shape(const Graph& graph, const Node& node) {
  if (!node.domain.empty() || node.inputs.size() != 1 || node.inputs[0] == kNone) {
    return std::nullopt;
  }
  const TensorType& type = graph.value(node.inputs[0]).type;
  if (node.type == "Size") return std::vector{Tensor::i64({}, {type.elements()})};
  if (node.type != "Shape") return std::nullopt;
  const std::vector<std::int64_t> dims = type.dims();
  const auto rank = static_cast<std::int64_t>(dims.size());
  const auto clamped = [rank](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const std::int64_t start = clamped(int_attribute(node.attributes, "start", 0));
  const std::int64_t end = std::max(start, clamped(int_attribute(node.attributes, "end", rank)));
  const std::vector<std::int64_t> part(dims.begin() + start, dims.begin() + end);
  return std::vector{Tensor::i64({end - start}, part)};
}

// An upper bound of the scalar operations of one evaluation.
std::int64_t work_of(const OpInstance& op, std::int64_t most_in, std::int64_t most_out) {
  const Operator* rule = find_operator(op.domain, op.type);
  if (rule == nullptr) return most_in * std::max<std::int64_t>(most_out, 1);
  switch (rule->kind(op)) {
    case OpKind::kPointwise:
    case OpKind::kInjective:
    case OpKind::kShape:
      return std::max(most_in, most_out);
    case OpKind::kReduction:
    case OpKind::kChain:
    case OpKind::kOpaque:
      return most_in * std::max<std::int64_t>(most_out, 1);
  }
  return 0;
}

bool within(const Graph& graph, const std::vector<ValueId>& values, std::int64_t limit,
            std::int64_t& most) {
  for (const ValueId value : values) {
    if (value == kNone) continue;
    const std::int64_t elements = graph.value(value).type.elements();
    if (elements > limit) return false;
    most = std::max(most, elements);
  }
  return true;
}

}  // namespace

std::optional<std::vector<Tensor>> fold_node(const Graph& graph, const Node& node,
                                             const FoldLimits& limits) {
  if (node.outputs.empty() || !node.regions.empty()) return std::nullopt;
  if (auto shape = fold_shape(graph, node)) return shape;
  if (!has_reference(node.domain, node.type)) return std::nullopt;
  for (const ValueId input : node.inputs) {
    if (input != kNone && !graph.value(input).constant) return std::nullopt;
  }
  std::int64_t most_in = 0;
  std::int64_t most_out = 0;
  if (!within(graph, node.inputs, limits.elements, most_in) ||
      !within(graph, node.outputs, limits.elements, most_out)) {
    return std::nullopt;
  }
  const OpInstance op = graph.instance(node);
  if (work_of(op, most_in, most_out) > std::max(limits.work, limits.elements)) return std::nullopt;
  std::vector<RefTensor> inputs(node.inputs.size());
  std::vector<const RefTensor*> pointers(node.inputs.size(), nullptr);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == kNone) continue;
    inputs[i] = RefTensor::from(*graph.value(node.inputs[i]).constant);
    pointers[i] = &inputs[i];
  }
  const auto results = evaluate_reference(op, pointers, RefPrecision::kDouble);
  if (!results || results->size() < node.outputs.size()) return std::nullopt;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    Tensor tensor = (*results)[i].to_tensor();
    if (node.outputs[i] != kNone && tensor.type() != graph.value(node.outputs[i]).type) {
      return std::nullopt;
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace frit

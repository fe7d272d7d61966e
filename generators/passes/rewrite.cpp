#include "generators/passes/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "generators/graph/find_node.h"
#include "ops/reference/reference.h"

namespace frit {

bool is_op(const Node& node, std::string_view type) {
  return node.domain.empty() && node.type == type;
}

const Node* producer_of(const Graph& graph, ValueId value) {
  if (value == kNone) return nullptr;
  const NodeId id = graph.value(value).producer;
  return id == kNone ? nullptr : &graph.node(id);
}

const Node* only_user(const Graph& graph, ValueId value) {
  if (graph.is_output(value)) return nullptr;
  const std::vector<NodeId> users = graph.users(value);
  return users.size() == 1 ? &graph.node(users[0]) : nullptr;
}

std::optional<double> scalar_constant(const Graph& graph, ValueId value) {
  if (value == kNone) return std::nullopt;
  const std::optional<Tensor>& constant = graph.value(value).constant;
  if (!constant || constant->elements() != 1 || !is_float(constant->dtype())) return std::nullopt;
  return constant->to_doubles()[0];
}

bool is_filled_with(const Graph& graph, ValueId value, double number) {
  if (value == kNone || !graph.value(value).constant) return false;
  const std::vector<double> elements = graph.value(value).constant->to_doubles();
  return !elements.empty() && std::all_of(elements.begin(), elements.end(), [&](double element) {
    return element == number && std::signbit(element) == std::signbit(number);
  });
}

bool nearly_equal(double a, double b) {
  return std::abs(a - b) <= std::ldexp(1.0, -23) * std::abs(b);
}

ValueId other_input(const Node& node, ValueId value) {
  if (node.inputs.size() != 2) return kNone;
  if (node.inputs[0] == value) return node.inputs[1];
  return node.inputs[1] == value ? node.inputs[0] : kNone;
}

Tensor rounded_tensor(DType dtype, std::vector<std::int64_t> dims, std::vector<double> values) {
  RefTensor tensor;
  tensor.dtype = dtype;
  tensor.dims = std::move(dims);
  tensor.real = std::move(values);
  return tensor.to_tensor();
}

ValueId add_constant(Graph& graph, std::string name, Tensor tensor) {
  Value value;
  value.name = std::move(name);
  value.type = tensor.type();
  value.constant = std::move(tensor);
  return graph.add_value(std::move(value));
}

ValueId add_result(Graph& graph, std::string name, TensorType type) {
  Value value;
  value.name = std::move(name);
  value.type = std::move(type);
  return graph.add_value(std::move(value));
}

void take_canonical(Graph& graph, Node& node, OpInstance op) {
  node.domain = op.domain;
  node.type = op.type;
  node.attributes = std::move(op.attributes);
  node.inputs.resize(op.inputs.size(), kNone);
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (!op.inputs[i]) node.inputs[i] = kNone;
    const Tensor* value = op.inputs[i] ? op.constant(i) : nullptr;
    if (value == nullptr) continue;
    const ValueId stated = node.inputs[i];
    const bool same = stated != kNone && graph.value(stated).constant &&
                      graph.value(stated).constant->bytes().data() == value->bytes().data();
    if (!same) {
      node.inputs[i] = add_constant(graph, fmt::format("{}/table{}", node.name, i), *value);
    }
  }
}

std::vector<std::string> merged_origins(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<std::string> origins;
  for (const Node& node : graph.nodes()) {
    if (std::find(nodes.begin(), nodes.end(), node.id) == nodes.end()) continue;
    for (const std::string& origin : node.origins) {
      if (std::find(origins.begin(), origins.end(), origin) == origins.end()) {
        origins.push_back(origin);
      }
    }
  }
  return origins;
}

bool replace_value(Graph& graph, ValueId from, ValueId to) {
  if (graph.is_output(from)) {
    const Value& target = graph.value(to);
    if (target.producer == kNone || target.constant || graph.is_output(to)) return false;
    std::swap(graph.value(from).name, graph.value(to).name);
  }
  graph.replace_uses(from, to);
  return true;
}

NodeId replace_node(Graph& graph, NodeId root, std::string type, std::vector<ValueId> inputs,
                    AttributeMap attributes, const std::vector<NodeId>& replaced) {
  Node& old = graph.node(root);
  Node node;
  node.type = std::move(type);
  node.name = old.name;
  node.opset = old.opset;
  node.attributes = std::move(attributes);
  node.inputs = std::move(inputs);
  node.outputs = old.outputs;
  node.origins = merged_origins(graph, replaced);
  const NodeId id = graph.insert_node(std::move(node), root);
  graph.remove_node(root);
  return id;
}

std::vector<NodeId> node_ids(const Graph& graph) {
  std::vector<NodeId> ids;
  ids.reserve(graph.nodes().size());
  for (const Node& node : graph.nodes()) ids.push_back(node.id);
  return ids;
}

bool has_node(const Graph& graph, NodeId id) {
  return find_node(graph.nodes(), id) < graph.nodes().size();
}

void remove_nodes(Graph& graph, const std::vector<NodeId>& ids) {
  const std::set<NodeId> gone(ids.begin(), ids.end());
  std::erase_if(graph.nodes(), [&](const Node& node) {
    if (!gone.contains(node.id)) return false;
    for (const ValueId output : node.outputs) {
      if (output != kNone && graph.value(output).producer == node.id) {
        graph.value(output).producer = kNone;
      }
    }
    return true;
  });
}

}  // namespace frit

#include "generators/graph/graph.h"

#include <algorithm>
#include <utility>

#include "generators/graph/find_node.h"
#include "ops/base/assert.h"

namespace frit {
namespace {

template <class Nodes>
auto position_of(Nodes& nodes, NodeId id) {
  return nodes.begin() + static_cast<std::ptrdiff_t>(find_node(nodes, id));
}

}  // namespace

ValueId Graph::add_value(Value value) {
  values_.push_back(std::move(value));
  return static_cast<ValueId>(values_.size()) - 1;
}

NodeId Graph::add_node(Node node) {
  node.id = next_id_++;
  for (const ValueId output : node.outputs) {
    if (output != kNone) value(output).producer = node.id;
  }
  nodes_.push_back(std::move(node));
  return nodes_.back().id;
}

NodeId Graph::insert_node(Node node, NodeId before) {
  const auto place = position_of(nodes_, before);
  FRIT_ASSERT(place != nodes_.end(), "insert_node: no such node");
  node.id = next_id_++;
  for (const ValueId output : node.outputs) {
    if (output != kNone) value(output).producer = node.id;
  }
  return nodes_.insert(place, std::move(node))->id;
}

void Graph::remove_node(NodeId id) {
  const auto place = position_of(nodes_, id);
  FRIT_ASSERT(place != nodes_.end(), "remove_node: no such node");
  for (const ValueId output : place->outputs) {
    if (output != kNone && value(output).producer == id) value(output).producer = kNone;
  }
  nodes_.erase(place);
}

void Graph::replace_uses(ValueId from, ValueId to) {
  for (Node& node : nodes_) std::replace(node.inputs.begin(), node.inputs.end(), from, to);
  std::replace(outputs.begin(), outputs.end(), from, to);
}

std::optional<ValueId> Graph::value_named(const std::string& value_name) const {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].name == value_name) return static_cast<ValueId>(i);
  }
  return std::nullopt;
}

const std::string& Graph::output_name(std::size_t i) const {
  return i < output_names.size() ? output_names[i] : value(outputs[i]).name;
}

Node& Graph::node(NodeId id) {
  const auto place = position_of(nodes_, id);
  FRIT_ASSERT(place != nodes_.end(), "no such node");
  return *place;
}

const Node& Graph::node(NodeId id) const {
  const auto place = position_of(nodes_, id);
  FRIT_ASSERT(place != nodes_.end(), "no such node");
  return *place;
}

std::vector<NodeId> Graph::users(ValueId value) const {
  std::vector<NodeId> result;
  for (const Node& node : nodes_) {
    if (std::find(node.inputs.begin(), node.inputs.end(), value) != node.inputs.end()) {
      result.push_back(node.id);
    }
  }
  return result;
}

bool Graph::is_output(ValueId value) const {
  return std::find(outputs.begin(), outputs.end(), value) != outputs.end();
}

OpInstance Graph::instance(const Node& node) const {
  OpInstance op;
  op.domain = node.domain;
  op.type = node.type;
  op.name = node.name;
  op.opset = node.opset;
  op.attributes = node.attributes;
  for (const ValueId input : node.inputs) {
    op.inputs.push_back(input == kNone ? std::nullopt : std::optional(value(input).type));
    op.constants.push_back(input == kNone ? std::nullopt : value(input).constant);
  }
  for (const ValueId output : node.outputs) {
    op.outputs.push_back(output == kNone ? TensorType() : value(output).type);
  }
  return op;
}

void Graph::check() const {
  std::vector<bool> defined(values_.size(), false);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    defined[i] = values_[i].producer == kNone;
  }
  for (const Node& node : nodes_) {
    for (const ValueId input : node.inputs) {
      FRIT_ASSERT(input == kNone || defined[static_cast<std::size_t>(input)],
                  "node " + node.name + " reads a value before its producer");
    }
    for (const ValueId output : node.outputs) {
      if (output == kNone) continue;
      FRIT_ASSERT(value(output).producer == node.id,
                  "value " + value(output).name + " does not know its producer");
      FRIT_ASSERT(!defined[static_cast<std::size_t>(output)],
                  "value " + value(output).name + " is defined twice");
      defined[static_cast<std::size_t>(output)] = true;
    }
  }
  for (const ValueId output : outputs) {
    FRIT_ASSERT(defined[static_cast<std::size_t>(output)],
                "graph output " + value(output).name + " has no producer");
  }
}

}  // namespace frit

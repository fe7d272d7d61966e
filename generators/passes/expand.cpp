// expand: operators that are defined by others (Operator::expand) give way to them.
//
// What an expansion holds may expand again. Values keep their order; a node's outputs keep their
// names. New nodes carry the origins of the node that they stand for.
#include <fmt/format.h>

#include <vector>

#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"
#include "ops/operator.h"

namespace frit {
namespace {

/// Deeper nesting is an operator that expands to itself.
constexpr int kMostDepth = 16;

class Writer {
 public:
  Writer(Graph& graph, NodeId id, const Expansion& expansion)
      : graph_(graph), id_(id), old_(graph.node(id)), expansion_(expansion) {}

  /// Ids of the new nodes.
  std::vector<NodeId> write() {
    ids_.assign(expansion_.all_values().size(), kNone);
    for (std::size_t i = 0; i < old_.inputs.size(); ++i) ids_[i] = old_.inputs[i];
    take_outputs();
    for (const Expansion::Node& node : expansion_.all_nodes()) {
      for (const int output : node.outputs) value_of(output);
    }
    graph_.remove_node(id_);  // it gives up its outputs first
    for (const Expansion::Node& node : expansion_.all_nodes()) add(node);
    for (const auto& [from, to] : copies_) add_copy(from, to);
    return added_;
  }

 private:
  /// Outputs of the operator become outputs of the nodes that compute them, under their names; what
  /// no node computes, or two outputs share, is copied.
  void take_outputs() {
    for (std::size_t i = 0; i < old_.outputs.size(); ++i) {
      const ValueId output = old_.outputs[i];
      if (output == kNone) continue;
      const int from = expansion_.output_id(i);
      FRIT_ASSERT(from >= 0, fmt::format("{} has no output {} after expansion", old_.type, i));
      const TensorType& type = expansion_.all_values()[static_cast<std::size_t>(from)].type;
      FRIT_ASSERT(type == graph_.value(output).type,
                  fmt::format("{} '{}': output {} is {} but its expansion gives {}", old_.type,
                              old_.name, i, to_text(graph_.value(output).type), to_text(type)));
      ValueId& id = ids_[static_cast<std::size_t>(from)];
      if (id == kNone && is_computed(from)) {
        id = output;
      } else {
        copies_.emplace_back(from, output);
      }
    }
  }

  bool is_computed(int value) const {
    for (const Expansion::Node& node : expansion_.all_nodes()) {
      for (const int output : node.outputs) {
        if (output == value) return true;
      }
    }
    return false;
  }

  ValueId value_of(int value) {
    if (value < 0) return kNone;
    ValueId& id = ids_[static_cast<std::size_t>(value)];
    if (id != kNone) return id;
    const Expansion::Value& written = expansion_.all_values()[static_cast<std::size_t>(value)];
    const std::string name = fmt::format("{}/{}", old_.name, value);
    id = written.constant ? add_constant(graph_, name, *written.constant)
                          : add_result(graph_, name, written.type);
    return id;
  }

  void insert(Node node) {
    node.name = fmt::format("{}/{}_{}", old_.name, node.type, added_.size());
    node.origins = old_.origins;
    added_.push_back(position_ == kNone ? graph_.add_node(std::move(node))
                                        : graph_.insert_node(std::move(node), position_));
  }

  void add(const Expansion::Node& from) {
    Node node;
    node.domain = from.op.domain;
    node.type = from.op.type;
    node.opset = from.op.opset;
    node.attributes = from.op.attributes;
    for (const int input : from.inputs) node.inputs.push_back(value_of(input));
    for (const int output : from.outputs) node.outputs.push_back(value_of(output));
    insert(std::move(node));
  }

  void add_copy(int from, ValueId to) {
    Node node;
    node.type = "Identity";
    node.opset = kExpansionOpset;
    node.inputs = {value_of(from)};
    node.outputs = {to};
    insert(std::move(node));
  }

  NodeId after() const {
    bool found = false;
    for (const Node& node : graph_.nodes()) {
      if (found) return node.id;
      found = node.id == id_;
    }
    return kNone;
  }

  Graph& graph_;
  NodeId id_;
  Node old_;  // a copy: the graph's own goes
  const Expansion& expansion_;
  std::vector<ValueId> ids_;  // of the expansion's values in the graph
  std::vector<std::pair<int, ValueId>> copies_;
  std::vector<NodeId> added_;
  NodeId position_ = after();  // new nodes stand before it; kNone: at the end
};

Status expand_node(Graph& graph, NodeId id, int depth, PassChanges& changes) {
  const Node& node = graph.node(id);
  const Operator* rule = find_operator(node.domain, node.type);
  if (rule == nullptr) return {};  // canonicalise says so
  const OpInstance op = graph.instance(node);
  if (!rule->expands(op)) return {};
  FRIT_ASSERT(depth < kMostDepth, node.type + " expands without end");
  Expansion expansion(op);
  FRIT_TRY(rule->expand(op, expansion));
  FRIT_TRY(expansion.status());
  const std::string what = fmt::format("'{}' ({})", node.name, node.type);
  const std::vector<NodeId> added = Writer(graph, id, expansion).write();
  if (depth == 0) {
    changes.push_back(
        fmt::format("{} becomes {} node{}", what, added.size(), added.size() == 1 ? "" : "s"));
  }
  for (const NodeId next : added) FRIT_TRY(expand_node(graph, next, depth + 1, changes));
  return {};
}

}  // namespace

Result<PassChanges> expand(Graph& graph) {
  PassChanges changes;
  for (const NodeId id : node_ids(graph)) {
    if (const Status done = expand_node(graph, id, 0, changes); !done) return fail(done.error());
  }
  return changes;
}

}  // namespace frit

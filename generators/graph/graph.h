// Graph: a model as typed SSA. Values have one producer; nodes stand in topological order.
//
// Every node keeps the ONNX nodes that it came from (`origins`), so that groups, tables, symbols
// and schedules can be led back to the model. Nodes may hold regions (If, Loop, Scan bodies).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ops/base/diagnostic.h"
#include "ops/instance.h"
#include "ops/operator.h"

namespace frit {

using ValueId = int;
using NodeId = int;
inline constexpr int kNone = -1;

struct Value {
  std::string name;
  TensorType type;
  std::optional<Tensor> constant;  ///< initializers and folded values
  NodeId producer = kNone;         ///< kNone: graph input or constant
};

class Graph;

/// A body graph of a control-flow node and the outer values that it captures.
struct Region {
  std::string attribute;  ///< "then_branch", "body" …
  std::shared_ptr<Graph> body;
  std::vector<ValueId> captured;
  std::vector<ValueId> stand_ins;  ///< of the body, one for each captured value
};

struct Node {
  NodeId id = kNone;  ///< stable: never reused, not its position
  std::string domain;
  std::string type;
  std::string name;
  int unnamed_at = kNone;  ///< position in the file of a node without a name there: `name` is ours
  int opset = 0;
  AttributeMap attributes;
  std::vector<ValueId> inputs;  ///< kNone: omitted optional input
  std::vector<ValueId> outputs;
  std::vector<std::string> origins;  ///< names of ONNX nodes, in order
  std::vector<Region> regions;
};

class Graph {
 public:
  std::string name;
  std::vector<ValueId> inputs;   ///< without initializers
  std::vector<ValueId> outputs;  ///< may repeat, may be inputs or constants
  /// The model's names of the outputs, where insert_layouts gave them values of other names (a
  /// graph output that is a graph input too, or is listed twice). Else empty: see output_name.
  std::vector<std::string> output_names;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< ONNX metadata_props, in order
  Diagnostics warnings;  ///< of the import

  ValueId add_value(Value value);
  /// Appends a node; sets the producer of its outputs. Returns its id.
  NodeId add_node(Node node);
  /// Inserts before the node `before` (by id).
  NodeId insert_node(Node node, NodeId before);
  void remove_node(NodeId id);
  /// Replaces every use of `from` (node inputs and graph outputs) by `to`.
  void replace_uses(ValueId from, ValueId to);

  Value& value(ValueId id) { return values_[static_cast<std::size_t>(id)]; }
  const Value& value(ValueId id) const { return values_[static_cast<std::size_t>(id)]; }
  int value_count() const { return static_cast<int>(values_.size()); }
  std::optional<ValueId> value_named(const std::string& value_name) const;
  /// What a person calls output i.
  const std::string& output_name(std::size_t i) const;

  /// Topological order.
  std::vector<Node>& nodes() { return nodes_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  /// FRIT_ASSERTs that it exists.
  Node& node(NodeId id);
  const Node& node(NodeId id) const;

  /// Ids of nodes that read `value`, in topological order, each once.
  std::vector<NodeId> users(ValueId value) const;
  bool is_output(ValueId value) const;

  /// The node with its input types and constants filled in, for rules of ops/.
  OpInstance instance(const Node& node) const;

  /// Asserts the invariants: order, producers, one definition per value.
  void check() const;

 private:
  std::vector<Value> values_;
  std::vector<Node> nodes_;
  NodeId next_id_ = 0;
};

/// The frit text form, for `frit show graph` and tests; the same graph prints the same bytes.
std::string to_text(const Graph& graph);

/// Runs the shape rule of every node in order and fills value types. First error wins.
Status infer_types(Graph& graph);

}  // namespace frit

// What passes share: questions about nodes and values, and safe replacement.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generators/graph/graph.h"

namespace frit {

/// An operator of ONNX's own domain with that type.
bool is_op(const Node& node, std::string_view type);
/// The node that writes `value`, or nullptr.
const Node* producer_of(const Graph& graph, ValueId value);
/// The one node that reads `value`, where exactly one does and `value` is no graph output.
const Node* only_user(const Graph& graph, ValueId value);
/// The value of a float constant of one element, whatever its rank.
std::optional<double> scalar_constant(const Graph& graph, ValueId value);
/// Every element of a constant equals `number`, the sign of zero included.
bool is_filled_with(const Graph& graph, ValueId value, double number);
/// |a/b - 1| within two float32 roundings.
bool nearly_equal(double a, double b);

/// The other input of a node with two, given one; kNone where `value` is neither.
ValueId other_input(const Node& node, ValueId value);

/// A float tensor of `dtype`, every value rounded once.
Tensor rounded_tensor(DType dtype, std::vector<std::int64_t> dims, std::vector<double> values);
/// A new constant.
ValueId add_constant(Graph& graph, std::string name, Tensor tensor);
/// A new value to be written by a node.
ValueId add_result(Graph& graph, std::string name, TensorType type);

/// Writes a canonical form (Operator::canonicalise) back into its node. Tables that only this form
/// has become constants named "<node>/table<input>".
void take_canonical(Graph& graph, Node& node, OpInstance op);

/// Origins of all, each once, in the order of the graph.
std::vector<std::string> merged_origins(const Graph& graph, const std::vector<NodeId>& nodes);

/// Makes every reader of `from` read `to`, and a graph output `from` be `to` under its old name.
/// False, and nothing done, where that would lose a name: `from` is an output while `to` is an
/// input, a constant or an output itself.
bool replace_value(Graph& graph, ValueId from, ValueId to);

/// Replaces node `root` (one output) by a new node of ONNX's domain at its place, which writes the
/// same value; its origins are those of `replaced`. The others of `replaced` are left to dead code.
NodeId replace_node(Graph& graph, NodeId root, std::string type, std::vector<ValueId> inputs,
                    AttributeMap attributes, const std::vector<NodeId>& replaced);

/// Ids of the nodes, for loops that change the graph.
std::vector<NodeId> node_ids(const Graph& graph);
/// Whether the node is still there.
bool has_node(const Graph& graph, NodeId id);
/// Removes many in one sweep; outputs that a removed node wrote lose their producer.
void remove_nodes(Graph& graph, const std::vector<NodeId>& ids);

}  // namespace frit

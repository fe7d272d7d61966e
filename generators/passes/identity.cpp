// identity: nodes that give back their input go.
//
// Only where every bit stays, NaN and the sign of zero included: x*1, x/1, x-0, x+(-0) (x+0 turns
// -0 into +0, so it stays), Cast to the same type, Reshape and Expand to the same shape, Transpose
// in order, Concat of one, Slice of everything, Pad by nothing, Clip without bounds, Identity,
// Dropout. A node that carries a graph input or constant to a graph output stays: the output keeps
// its name.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"

namespace frit {
namespace {

bool keeps_shape(const Graph& graph, const Node& node, ValueId input) {
  return graph.value(input).type == graph.value(node.outputs[0]).type;
}

// The position of the operand that a neutral constant leaves as it is, or -1.
int kept_operand(const Graph& graph, const Node& node) {
  if (node.inputs.size() != 2) return -1;
  const auto neutral = [&](std::size_t i, double number) {
    return is_filled_with(graph, node.inputs[i], number);
  };
  if (is_op(node, "Mul")) return neutral(1, 1.0) ? 0 : neutral(0, 1.0) ? 1 : -1;
  if (is_op(node, "Add")) return neutral(1, -0.0) ? 0 : neutral(0, -0.0) ? 1 : -1;
  if (is_op(node, "Div")) return neutral(1, 1.0) ? 0 : -1;
  if (is_op(node, "Sub")) return neutral(1, 0.0) ? 0 : -1;
  return -1;
}

bool all_equal(const std::vector<std::int64_t>& values, std::int64_t to) {
  return std::all_of(values.begin(), values.end(), [to](std::int64_t v) { return v == to; });
}

bool is_in_order(const std::vector<std::int64_t>& perm) {
  std::vector<std::int64_t> order(perm.size());
  std::iota(order.begin(), order.end(), 0);
  return perm == order;
}

bool is_whole_slice(const Graph& graph, const Node& node) {
  return all_equal(ints_attribute(node.attributes, "starts", {1}), 0) &&
         all_equal(ints_attribute(node.attributes, "steps", {0}), 1) &&
         ints_attribute(node.attributes, "ends", {}) == graph.value(node.inputs[0]).type.dims();
}

// The input that the node gives back, or kNone. The node is canonical.
ValueId given_back(const Graph& graph, const Node& node) {
  if (const int kept = kept_operand(graph, node); kept >= 0) {
    return node.inputs[static_cast<std::size_t>(kept)];
  }
  if (node.inputs.size() != 1) return kNone;
  static constexpr std::string_view kByType[] = {"Identity", "Dropout", "Cast",
                                                 "Reshape",  "Expand",  "Concat"};
  const bool by_type = std::any_of(std::begin(kByType), std::end(kByType),
                                   [&](std::string_view type) { return is_op(node, type); });
  const bool by_attributes =
      (is_op(node, "Transpose") && is_in_order(ints_attribute(node.attributes, "perm", {1}))) ||
      (is_op(node, "Slice") && is_whole_slice(graph, node)) ||
      (is_op(node, "Pad") && all_equal(ints_attribute(node.attributes, "pads", {1}), 0)) ||
      (is_op(node, "Clip") && !has_attribute(node.attributes, "min") &&
       !has_attribute(node.attributes, "max"));
  return by_type || by_attributes ? node.inputs[0] : kNone;
}

}  // namespace

Result<PassChanges> remove_identities(Graph& graph) {
  PassChanges changes;
  std::vector<NodeId> removed;
  for (const NodeId id : node_ids(graph)) {
    const Node& node = graph.node(id);
    if (node.outputs.size() != 1 || node.outputs[0] == kNone) continue;
    const ValueId input = given_back(graph, node);
    if (input == kNone || !keeps_shape(graph, node, input)) continue;
    if (!replace_value(graph, node.outputs[0], input)) continue;
    changes.push_back(
        fmt::format("'{}' ({}) gives back its input and is removed", node.name, node.type));
    removed.push_back(id);
  }
  remove_nodes(graph, removed);
  return changes;
}

}  // namespace frit

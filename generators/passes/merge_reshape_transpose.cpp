// merge_reshape_transpose: chains of views become one.
//
// Reshape of Reshape is the second Reshape. Transpose of Transpose composes: axis i of the result
// is axis inner[outer[i]] of the source ([1,0,2] then [0,2,1] is [1,2,0]). A Transpose that only
// moves axes of extent 1 past others moves no element: it is a Reshape. The first of a chain stays
// where others read it. What is left without effect goes by the pass identity.
#include <fmt/format.h>

#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"

namespace frit {
namespace {

std::vector<std::int64_t> perm_of(const Node& node) {
  return ints_attribute(node.attributes, "perm", {});
}

// The order of the axes of extent other than 1 stays.
bool moves_nothing(const Graph& graph, const Node& transpose) {
  const std::vector<std::int64_t> dims = graph.value(transpose.inputs[0]).type.dims();
  std::int64_t last = -1;
  for (const std::int64_t axis : perm_of(transpose)) {
    if (dims[static_cast<std::size_t>(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

std::string merge_reshapes(Graph& graph, NodeId id) {
  Node& node = graph.node(id);
  const Node* inner = producer_of(graph, node.inputs[0]);
  if (inner == nullptr || !is_op(*inner, "Reshape")) return "";
  const std::string change =
      fmt::format("'{}' reshapes the source of '{}'", node.name, inner->name);
  std::vector<std::string> origins = merged_origins(graph, {inner->id, id});
  node.inputs = {inner->inputs[0]};
  node.origins = std::move(origins);
  return change;
}

std::string merge_transposes(Graph& graph, NodeId id) {
  Node& node = graph.node(id);
  const Node* inner = producer_of(graph, node.inputs[0]);
  if (inner == nullptr || !is_op(*inner, "Transpose")) return "";
  std::vector<std::int64_t> perm;
  for (const std::int64_t axis : perm_of(node)) {
    perm.push_back(perm_of(*inner)[static_cast<std::size_t>(axis)]);
  }
  const std::string change =
      fmt::format("'{}' transposes the source of '{}'", node.name, inner->name);
  std::vector<std::string> origins = merged_origins(graph, {inner->id, id});
  node.inputs = {inner->inputs[0]};
  node.attributes["perm"] = std::move(perm);
  node.origins = std::move(origins);
  return change;
}

std::string make_view(Graph& graph, NodeId id) {
  Node& node = graph.node(id);
  if (!moves_nothing(graph, node)) return "";
  node.type = "Reshape";
  node.attributes = {{"shape", graph.value(node.outputs[0]).type.dims()}};
  return fmt::format("'{}' moves no element: Transpose becomes Reshape", node.name);
}

}  // namespace

Result<PassChanges> merge_reshape_transpose(Graph& graph) {
  PassChanges changes;
  const auto note = [&](std::string change) {
    if (!change.empty()) changes.push_back(std::move(change));
  };
  for (const NodeId id : node_ids(graph)) {
    if (is_op(graph.node(id), "Transpose")) {
      note(merge_transposes(graph, id));
      note(make_view(graph, id));
    }
    if (is_op(graph.node(id), "Reshape")) note(merge_reshapes(graph, id));
  }
  return changes;
}

}  // namespace frit

// wide_concat: a Concat of many inputs becomes a tree of narrow ones.
//
// A kernel chooses among its parts at every element, so its code grows with their number and
// Halide's time with the square: 64 parts of 4 elements 2.5 s, 500 parts 36 s, 1000 parts more than
// the limit of 120 s. In a tree each element is copied once more for each level; copies are exact.
#include <fmt/format.h>

#include <algorithm>

#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"
#include "ops/operator.h"

namespace frit {
namespace {

constexpr std::size_t kMostParts = 32;

/// A Concat of inputs [first, last) before the node `wide`; the value that it writes.
ValueId add_part(Graph& graph, NodeId wide, std::size_t first, std::size_t last) {
  const Node& node = graph.node(wide);
  Node part;
  part.type = node.type;
  part.name = fmt::format("{}/{}", node.name, first / kMostParts);
  part.opset = node.opset;
  part.attributes = node.attributes;
  part.inputs.assign(node.inputs.begin() + static_cast<std::ptrdiff_t>(first),
                     node.inputs.begin() + static_cast<std::ptrdiff_t>(last));
  part.origins = node.origins;
  const auto axis = static_cast<std::size_t>(int_attribute(node.attributes, "axis", 0));
  std::vector<std::int64_t> dims = graph.value(part.inputs[0]).type.dims();
  dims[axis] = 0;
  for (const ValueId input : part.inputs) dims[axis] += graph.value(input).type.dims()[axis];
  const DType dtype = graph.value(part.inputs[0]).type.dtype;
  const ValueId made = add_result(graph, part.name, TensorType(dtype, dims));
  part.outputs = {made};
  graph.insert_node(std::move(part), wide);
  return made;
}

}  // namespace

Result<PassChanges> split_wide_concat(Graph& graph) {
  PassChanges changes;
  for (const NodeId id : node_ids(graph)) {
    if (!is_op(graph.node(id), "Concat")) continue;
    const std::size_t count = graph.node(id).inputs.size();
    if (count <= kMostParts) continue;
    std::vector<ValueId> parts;
    for (std::size_t first = 0; first < count; first += kMostParts) {
      parts.push_back(add_part(graph, id, first, std::min(first + kMostParts, count)));
    }
    changes.push_back(fmt::format("'{}': {} inputs become {} Concat nodes of at most {}",
                                  graph.node(id).name, count, parts.size(), kMostParts));
    const AttributeMap attributes = graph.node(id).attributes;
    replace_node(graph, id, "Concat", parts, attributes, {id});
  }
  return changes;
}

}  // namespace frit

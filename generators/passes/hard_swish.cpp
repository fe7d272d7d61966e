// hard_swish: x * clip(x + 3, 0, 6) / 6, in any order and grouping of the products, and x *
// HardSigmoid(x) with alpha 1/6 and beta 1/2, become HardSwish(x).
#include <fmt/format.h>

#include "generators/passes/clip_pattern.h"
#include "generators/passes/passes.h"
#include "generators/passes/product.h"
#include "generators/passes/rewrite.h"

namespace frit {
namespace {

// A node that gives (x/6 + 1/2 clipped to 0…1) * high, and x.
struct Gate {
  ValueId x = kNone;
  double high = 1;
  std::vector<NodeId> nodes;
};

std::optional<Gate> clip_gate(const Graph& graph, const Node& node) {
  const std::optional<ClipPattern> clip = clip_pattern(graph, node);
  if (!clip || clip->inner.nodes.empty()) return std::nullopt;
  if (!nearly_equal(6 * clip->inner.scale, clip->high) ||
      !nearly_equal(2 * clip->inner.shift, clip->high)) {
    return std::nullopt;
  }
  Gate gate{clip->inner.source, clip->high, clip->inner.nodes};
  gate.nodes.push_back(node.id);
  return gate;
}

std::optional<Gate> sigmoid_gate(const Node& node) {
  if (!is_op(node, "HardSigmoid") || node.inputs.size() != 1 ||
      !nearly_equal(6.0 * float_attribute(node.attributes, "alpha", 0.2F), 1.0) ||
      float_attribute(node.attributes, "beta", 0.5F) != 0.5F) {
    return std::nullopt;
  }
  return Gate{node.inputs[0], 1.0, {node.id}};
}

}  // namespace

Result<PassChanges> recognise_hard_swish(Graph& graph) {
  PassChanges changes;
  for (const NodeId id : node_ids(graph)) {
    if (!has_node(graph, id)) continue;
    std::optional<Gate> gate = sigmoid_gate(graph.node(id));
    if (!gate) gate = clip_gate(graph, graph.node(id));
    if (!gate) continue;
    const auto product = find_product(graph, graph.node(id).outputs[0], gate->x, 1.0 / gate->high);
    if (!product) continue;
    std::vector<NodeId> replaced = gate->nodes;
    replaced.insert(replaced.end(), product->nodes.begin(), product->nodes.end());
    changes.push_back(fmt::format("'{}' and the {} nodes before it become HardSwish",
                                  graph.node(product->root).name, replaced.size() - 1));
    replace_node(graph, product->root, "HardSwish", {gate->x}, {}, replaced);
  }
  return changes;
}

}  // namespace frit

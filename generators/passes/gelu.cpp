// gelu: x * (1 + erf(x / sqrt 2)) * 1/2, in any order and grouping of the products, becomes
// Gelu(x).
#include <fmt/format.h>

#include <cmath>

#include "generators/passes/passes.h"
#include "generators/passes/product.h"
#include "generators/passes/rewrite.h"

namespace frit {

Result<PassChanges> recognise_gelu(Graph& graph) {
  PassChanges changes;
  for (const NodeId id : node_ids(graph)) {
    if (!has_node(graph, id) || !is_op(graph.node(id), "Erf")) continue;
    const ScaledShift inner = scaled_shift(graph, graph.node(id).inputs[0]);
    if (inner.shift != 0 || !nearly_equal(inner.scale, std::sqrt(0.5))) continue;
    const Node* sum = only_user(graph, graph.node(id).outputs[0]);
    if (sum == nullptr || !is_op(*sum, "Add") ||
        graph.value(sum->outputs[0]).type != graph.value(inner.source).type) {
      continue;
    }
    const ValueId one = other_input(*sum, graph.node(id).outputs[0]);
    if (one == kNone || scalar_constant(graph, one) != 1.0) continue;
    const auto product = find_product(graph, sum->outputs[0], inner.source, 0.5);
    if (!product) continue;
    std::vector<NodeId> replaced = inner.nodes;
    replaced.insert(replaced.end(), {id, sum->id});
    replaced.insert(replaced.end(), product->nodes.begin(), product->nodes.end());
    changes.push_back(fmt::format("'{}' and the {} nodes before it become Gelu",
                                  graph.node(product->root).name, replaced.size() - 1));
    replace_node(graph, product->root, "Gelu", {inner.source},
                 {{"approximate", std::string("none")}}, replaced);
  }
  return changes;
}

}  // namespace frit

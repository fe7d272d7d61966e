// hard_sigmoid: factor * clip(s*x + t, 0, 1/factor) becomes HardSigmoid(alpha = s*factor, beta =
// t*factor), which is clip(alpha*x + beta, 0, 1). Relu6 forms come as Add 3, Clip 0..6, Div 6.
#include <fmt/format.h>

#include "generators/passes/clip_pattern.h"
#include "generators/passes/passes.h"
#include "generators/passes/product.h"
#include "generators/passes/rewrite.h"

namespace frit {

Result<PassChanges> recognise_hard_sigmoid(Graph& graph) {
  PassChanges changes;
  for (const NodeId id : node_ids(graph)) {
    if (!has_node(graph, id)) continue;
    const std::optional<ClipPattern> clip = clip_pattern(graph, graph.node(id));
    // A Clip alone, of x itself, is as cheap as it can be.
    if (!clip || clip->inner.nodes.empty()) continue;
    NodeId root = id;
    std::vector<NodeId> replaced = clip->inner.nodes;
    replaced.push_back(id);
    if (!nearly_equal(clip->high, 1.0)) {
      const auto product = find_product(graph, graph.node(id).outputs[0], kNone, 1.0 / clip->high);
      if (!product) continue;
      root = product->root;
      replaced.insert(replaced.end(), product->nodes.begin(), product->nodes.end());
    }
    changes.push_back(fmt::format("'{}' and what it clips become HardSigmoid '{}'",
                                  graph.node(id).name, graph.node(root).name));
    replace_node(graph, root, "HardSigmoid", {clip->inner.source},
                 {{"alpha", static_cast<float>(clip->inner.scale / clip->high)},
                  {"beta", static_cast<float>(clip->inner.shift / clip->high)}},
                 replaced);
  }
  return changes;
}

}  // namespace frit

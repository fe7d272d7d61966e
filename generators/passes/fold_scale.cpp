// fold_scale: Mul, Add, Sub, Div by constants per channel go into the Conv before them.
//
// As fold_batch_norm, with the same conditions; a whole chain goes in one rounding. Constants that
// vary along another axis than the channels (a bias [1,c,y,x]) or that enlarge the result stay.
#include <fmt/format.h>

#include "generators/passes/affine.h"
#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"

namespace frit {

Result<PassChanges> fold_scale(Graph& graph) {
  PassChanges changes;
  for (const NodeId id : node_ids(graph)) {
    if (!has_node(graph, id) || !is_op(graph.node(id), "Conv")) continue;
    const AffineChain chain = chain_after(graph, graph.node(id).outputs[0], arithmetic_affine);
    if (chain.empty()) continue;
    std::string change =
        fmt::format("{} went into '{}'", chain_text(graph, chain), graph.node(id).name);
    if (fold_into_conv(graph, id, chain)) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace frit

// gather_scale: what scales and shifts a convolution becomes one Mul and one Add after it.
//
//   Conv(bias b) -> BatchNormalization or Mul, Add, Sub, Div by constants per channel, in any chain
//   becomes  Conv -> Mul by s[k] -> Add of b[k] * s[k] + t[k], which the planner makes its epilogue
//   (one FMA for each output).
//
// Scaling the weights instead (fold_batch_norm, fold_scale) rounds each of them once more, alike
// for every pixel: on a text recogniser that error added up to four times NUMERICS.md's tolerance
// (doc/decisions/scale-after-convolution.md). Where every scale is a power of two nothing is
// rounded, and the weights do take it.
#include <fmt/format.h>

#include "generators/passes/affine.h"
#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"

namespace frit {
namespace {

std::optional<Affine> any_affine(const Graph& graph, const Node& node, ValueId x) {
  if (!is_op(node, "BatchNormalization")) return arithmetic_affine(graph, node, x);
  if (node.inputs.empty() || node.inputs[0] != x) return std::nullopt;
  return batch_norm_affine(graph, node);
}

}  // namespace

Result<PassChanges> gather_scale(Graph& graph) {
  PassChanges changes;
  for (const NodeId id : node_ids(graph)) {
    if (!has_node(graph, id) || !is_op(graph.node(id), "Conv")) continue;
    const AffineChain chain = chain_after(graph, graph.node(id).outputs[0], any_affine);
    if (chain.empty()) continue;
    const std::string names = chain_text(graph, chain);
    const std::string conv = graph.node(id).name;
    if (scales_exactly(chain.total.scale) && fold_into_conv(graph, id, chain)) {
      changes.push_back(fmt::format("{} went into '{}' exactly", names, conv));
    } else if (gather_after_conv(graph, id, chain)) {
      changes.push_back(fmt::format("{} became one Mul and one Add after '{}'", names, conv));
    }
  }
  for (std::string& change : take_batch_norms_apart(graph)) changes.push_back(std::move(change));
  return changes;
}

}  // namespace frit

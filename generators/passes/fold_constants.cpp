// fold_constants: what can be known at build is computed at build.
//
// Bounded: a few bytes of model can ask for gigabytes of constant. One tensor may have
// kMostElements elements, or four times all constants of the model; all together four times that.
// Nodes beyond stay nodes (and shape arithmetic that stays is an error of run_passes).
#include <fmt/format.h>

#include <algorithm>

#include "generators/graph/fold.h"
#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"
#include "ops/operator.h"

namespace frit {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 22;
constexpr std::int64_t kMostWork = std::int64_t{1} << 26;

std::int64_t constant_elements(const Graph& graph) {
  std::int64_t sum = 0;
  for (int id = 0; id < graph.value_count(); ++id) {
    if (graph.value(id).constant) sum += graph.value(id).type.elements();
  }
  return sum;
}

bool all_known(const Graph& graph, const Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) {
    return output == kNone || graph.value(output).constant;
  });
}

}  // namespace

Result<PassChanges> fold_constants(Graph& graph) {
  PassChanges changes;
  std::vector<NodeId> known;
  FoldLimits limits{std::max(kMostElements, 4 * constant_elements(graph)), kMostWork};
  std::int64_t budget = 4 * limits.elements;
  for (const NodeId id : node_ids(graph)) {
    const Node& node = graph.node(id);
    if (node.outputs.empty()) continue;
    if (!all_known(graph, node)) {
      limits.elements = std::min(limits.elements, budget);
      auto values = fold_node(graph, node, limits);
      if (!values) continue;
      for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] == kNone) continue;
        budget -= (*values)[i].elements();
        graph.value(node.outputs[i]).constant = std::move((*values)[i]);
      }
    }
    changes.push_back(fmt::format("'{}' ({}) becomes a constant", node.name, node.type));
    known.push_back(id);
  }
  remove_nodes(graph, known);
  return changes;
}

}  // namespace frit

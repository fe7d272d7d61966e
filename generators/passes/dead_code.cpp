// dead_code: nodes that no graph output needs go, and with them constants that nothing reads.
#include <fmt/format.h>

#include <algorithm>

#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"

namespace frit {

Result<PassChanges> remove_dead_code(Graph& graph) {
  std::vector<bool> needed(static_cast<std::size_t>(graph.value_count()), false);
  const auto need = [&](ValueId value) {
    if (value != kNone) needed[static_cast<std::size_t>(value)] = true;
  };
  const auto is_needed = [&](ValueId value) {
    return value != kNone && needed[static_cast<std::size_t>(value)];
  };
  for (const ValueId output : graph.outputs) need(output);
  std::vector<NodeId> dead;
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
    if (!std::any_of(node->outputs.begin(), node->outputs.end(), is_needed)) {
      dead.push_back(node->id);
      continue;
    }
    for (const ValueId input : node->inputs) need(input);
    for (const Region& region : node->regions) {
      for (const ValueId captured : region.captured) need(captured);
    }
  }
  PassChanges changes;
  for (auto id = dead.rbegin(); id != dead.rend(); ++id) {
    const Node& node = graph.node(*id);
    changes.push_back(
        fmt::format("'{}' ({}) is removed: no output needs it", node.name, node.type));
  }
  remove_nodes(graph, dead);
  for (ValueId value = 0; value < graph.value_count(); ++value) {
    if (!is_needed(value)) graph.value(value).constant.reset();
  }
  return changes;
}

}  // namespace frit

// The rule for writing a kernel's output over one of its inputs.
#include <algorithm>
#include <set>

#include "generators/memory/memory_plan.h"

namespace frit {
namespace {

bool is_pointwise(const Graph& graph, const Node& node) {
  const Operator* op = find_operator(node.domain, node.type);
  return op != nullptr && op->kind(graph.instance(node)) == OpKind::kPointwise;
}

bool has_views(const Plan& plan, ValueId value) {
  if (plan.alias_of.count(value) != 0) return true;
  return std::any_of(plan.alias_of.begin(), plan.alias_of.end(),
                     [&](const auto& alias) { return alias.second == value; });
}

}  // namespace

bool can_write_in_place(const Graph& graph, const Plan& plan, const Group& group,
                        const Kernel& kernel, ValueId input, ValueId output) {
  if (!kernel.one_touch || input == output) return false;
  const TensorType& from = graph.value(input).type;
  const TensorType& to = graph.value(output).type;
  if (from.dims() != to.dims() || size_bytes(from.dtype) != size_bytes(to.dtype)) return false;
  const Storage& from_storage = plan.storage.at(input);
  if (!(from_storage == plan.storage.at(output)) || from_storage.has_halo()) return false;
  if (has_views(plan, input) || has_views(plan, output)) return false;
  // Values of the group that depend on `input`: all made pointwise, all of its extents. Another
  // output of the group would be written before some element of `input` is read.
  if (group.outputs.size() != 1) return false;
  std::set<ValueId> dependent = {input};
  for (const NodeId id : group.nodes) {
    const Node& node = graph.node(id);
    const bool reads = std::any_of(node.inputs.begin(), node.inputs.end(),
                                   [&](ValueId v) { return dependent.count(v) != 0; });
    if (!reads) continue;
    if (!is_pointwise(graph, node)) return false;
    for (const ValueId made : node.outputs) {
      if (made == kNone) continue;
      if (graph.value(made).type.dims() != from.dims()) return false;
      dependent.insert(made);
    }
  }
  return dependent.count(output) != 0;
}

}  // namespace frit

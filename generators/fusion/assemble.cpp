#include "generators/fusion/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "ops/view.h"

namespace frit {
namespace {

using Members = Grouping::Members;

/// The axis along which neighbours lie nearest; -1 when no axis is longer than 1.
int innermost_axis(const Storage& storage, const std::vector<std::int64_t>& dims) {
  const std::vector<std::int64_t> strides = strides_of(storage, dims);
  int best = -1;
  for (std::size_t a = 0; a < dims.size(); ++a) {
    if (dims[a] > 1 && (best < 0 || strides[a] < strides[static_cast<std::size_t>(best)])) {
      best = static_cast<int>(a);
    }
  }
  return best;
}

/// A group without an anchor whose reads run across its writes.
bool transposes(const GraphFacts& facts, const Layout& layout, const Members& members,
                ValueId result) {
  const Graph& graph = facts.graph();
  const auto innermost = [&](ValueId v) {
    return innermost_axis(layout.storage[static_cast<std::size_t>(v)], graph.value(v).type.dims());
  };
  const int written = innermost(result);
  for (const int p : members.nodes) {
    const NodeFacts& node = facts.at(p);
    const auto refusal = layout.refusals.find(node.node->id);
    if (refusal != layout.refusals.end() && refusal->second.code == "layout") return true;
    const auto perm = axis_permutation(node.op);
    if (node.kind != OpKind::kPointwise && !perm) continue;
    for (const ValueId input : node.node->inputs) {
      if (input == kNone || graph.value(input).constant) continue;
      const int maker = facts.producer(input);
      const bool outside =
          maker < 0 || !std::binary_search(members.nodes.begin(), members.nodes.end(), maker);
      const int axis = innermost(input);
      const bool whole =
          graph.value(input).type.elements() == graph.value(result).type.elements() &&
          graph.value(input).type.rank() == graph.value(result).type.rank();
      if (!outside || !whole || axis < 0 || written < 0) continue;
      if (axis != (perm ? (*perm)[static_cast<std::size_t>(written)] : written)) return true;
    }
  }
  return false;
}

std::string anchor_of(const GraphFacts& facts, const Layout& layout, const Members& members,
                      const std::vector<ValueId>& outputs) {
  if (members.alias) return "alias";
  if (members.anchor >= 0) {
    const std::string& anchor = facts.at(members.anchor).anchor;
    return anchor.empty() ? "reduce" : anchor;
  }
  const bool across = !outputs.empty() && transposes(facts, layout, members, outputs[0]);
  return across ? "transpose" : "elementwise";
}

/// Members in topological order, what the anchor needs first, so that what stands before it is its
/// prologue.
std::vector<int> prologue_first(const GraphFacts& facts, const Members& members) {
  if (members.anchor < 0) return members.nodes;
  std::vector<int> before, rest;
  for (const int p : members.nodes) {
    const bool needed =
        p <= members.anchor && (p == members.anchor || !facts.between(p, members.anchor).empty());
    (needed ? before : rest).push_back(p);
  }
  before.insert(before.end(), rest.begin(), rest.end());
  return before;
}

}  // namespace

std::vector<int> execution_order(const GraphFacts& facts, const Grouping& grouping) {
  const std::size_t count = grouping.groups.size();
  std::vector<std::vector<int>> after(count);
  std::vector<int> waiting(count, 0);
  for (std::size_t g = 0; g < count; ++g) {
    std::vector<int> before;
    for (const int p : grouping.groups[g].nodes) {
      for (const ValueId input : facts.at(p).node->inputs) {
        const int maker = input == kNone ? -1 : facts.producer(input);
        if (maker < 0) continue;
        const int other = grouping.group_of[static_cast<std::size_t>(maker)];
        if (other != static_cast<int>(g)) before.push_back(other);
      }
    }
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    waiting[g] = static_cast<int>(before.size());
    for (const int other : before)
      after[static_cast<std::size_t>(other)].push_back(static_cast<int>(g));
  }
  using Ready = std::pair<int, int>;  // last node, group
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  const auto offer = [&](std::size_t g) {
    if (waiting[g] == 0) ready.emplace(grouping.groups[g].nodes.back(), static_cast<int>(g));
  };
  for (std::size_t g = 0; g < count; ++g) offer(g);
  std::vector<int> order;
  while (!ready.empty()) {
    const int g = ready.top().second;
    ready.pop();
    order.push_back(g);
    for (const int next : after[static_cast<std::size_t>(g)]) {
      --waiting[static_cast<std::size_t>(next)];
      offer(static_cast<std::size_t>(next));
    }
  }
  FRIT_ASSERT(order.size() == count, "the groups wait for each other");
  return order;
}

Group make_group(const GraphFacts& facts, const Layout& layout, const Members& members, int id) {
  Group group;
  group.id = id;
  group.kind = members.alias ? GroupKind::kAlias : GroupKind::kKernel;
  if (members.anchor >= 0) group.anchor_node = facts.at(members.anchor).node->id;
  for (const int p : prologue_first(facts, members)) {
    group.nodes.push_back(facts.at(p).node->id);
    for (const ValueId input : facts.at(p).node->inputs) {
      const int maker = input == kNone ? -1 : facts.producer(input);
      const bool outside =
          maker < 0 || !std::binary_search(members.nodes.begin(), members.nodes.end(), maker);
      if (input == kNone || !outside) continue;
      if (std::find(group.inputs.begin(), group.inputs.end(), input) == group.inputs.end()) {
        group.inputs.push_back(input);
      }
    }
  }
  group.outputs = results_of(facts, members);
  if (group.outputs.empty()) {  // dead code: computed for nobody
    for (const ValueId output : facts.at(members.nodes.back()).node->outputs) {
      if (output != kNone) group.outputs.push_back(output);
    }
  }
  group.anchor = anchor_of(facts, layout, members, group.outputs);
  group.name = fmt::format("{}_{}", group.anchor, id);
  return group;
}

void keep_storage(const GraphFacts& facts, const Layout& layout, Plan& plan) {
  const Graph& graph = facts.graph();
  const auto keep = [&](ValueId value) {
    if (graph.value(value).constant) return;
    plan.storage[value] = layout.storage[static_cast<std::size_t>(value)];
    const auto alias = layout.alias_of.find(value);
    if (alias == layout.alias_of.end()) return;
    plan.alias_of[value] = alias->second;
    plan.storage[alias->second] = layout.storage[static_cast<std::size_t>(alias->second)];
  };
  for (const ValueId value : graph.inputs) keep(value);
  for (const ValueId value : graph.outputs) keep(value);
  for (const Group& group : plan.groups) {
    for (const ValueId value : group.inputs) keep(value);
    for (const ValueId value : group.outputs) keep(value);
  }
}

}  // namespace frit

#include "generators/fusion/facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace frit {
namespace {

/// Axes n, c (or k), then space: what lies channels-last.
bool has_channels(const NodeFacts& facts) {
  if (facts.kind != OpKind::kReduction || facts.op.outputs.empty()) return false;
  if (facts.op.outputs[0].rank() < 3) return false;
  const std::vector<std::string> names = facts.rule->axis_names(facts.op);
  if (facts.anchor == "reduce" || facts.anchor == "matmul") return false;
  return names.size() >= 3 && names[0] == "n" && (names[1] == "c" || names[1] == "k");
}

Result<NodeFacts> facts_of(const Graph& graph, const Node& node) {
  NodeFacts facts;
  facts.node = &node;
  facts.op = graph.instance(node);
  facts.rule = find_operator(node.domain, node.type);
  if (facts.rule == nullptr) {
    return fail("plan-unsupported",
                fmt::format("node {} has no operator in frit; see 'frit ops'", label(node)));
  }
  for (const ValueId output : node.outputs) {
    if (output == kNone) continue;
    for (const Extent& extent : graph.value(output).type.shape) {
      if (extent.is_constant()) continue;
      return fail("plan-unsupported",
                  fmt::format("value '{}' has the open extent '{}' but planning needs constant "
                              "ones; pin it with --shape",
                              graph.value(output).name, extent.symbol));
    }
  }
  facts.kind = facts.rule->kind(facts.op);
  facts.anchor = facts.rule->anchor(facts.op);
  facts.channels = has_channels(facts);
  facts.layout = has_attribute(node.attributes, "frit_layout");
  facts.counts = facts.rule->counts(facts.op);
  return facts;
}

}  // namespace

std::string label(const Node& node) {
  return node.name.empty() ? fmt::format("the {} without a name", node.type)
                           : fmt::format("'{}' ({})", node.name, node.type);
}

Result<GraphFacts> GraphFacts::of(const Graph& graph) {
  GraphFacts facts;
  facts.graph_ = &graph;
  facts.users_.resize(static_cast<std::size_t>(graph.value_count()));
  for (const Node& node : graph.nodes()) {
    auto one = facts_of(graph, node);
    if (!one) return fail(std::move(one).error());
    const int position = facts.size();
    facts.position_[node.id] = position;
    facts.nodes_.push_back(*std::move(one));
    for (const ValueId input : node.inputs) {
      if (input == kNone) continue;
      std::vector<int>& users = facts.users_[static_cast<std::size_t>(input)];
      if (users.empty() || users.back() != position) users.push_back(position);
    }
  }
  facts.find_post_dominators();
  return facts;
}

int GraphFacts::producer(ValueId value) const {
  const NodeId id = graph_->value(value).producer;
  return id == kNone ? -1 : position_.at(id);
}

void GraphFacts::find_post_dominators() {
  const int sink = size();
  post_dominator_.assign(static_cast<std::size_t>(sink) + 1, sink);
  std::vector<int> depth(static_cast<std::size_t>(sink) + 1, 0);
  const auto meet = [&](int a, int b) {
    while (a != b) {
      int& deeper =
          depth[static_cast<std::size_t>(a)] >= depth[static_cast<std::size_t>(b)] ? a : b;
      deeper = post_dominator_[static_cast<std::size_t>(deeper)];
    }
    return a;
  };
  for (int p = sink - 1; p >= 0; --p) {
    int common = -1;
    for (const ValueId output : at(p).node->outputs) {
      if (output == kNone) continue;
      if (graph_->is_output(output)) common = sink;
      for (const int user : users(output)) common = common < 0 ? user : meet(common, user);
    }
    if (common < 0) common = sink;
    post_dominator_[static_cast<std::size_t>(p)] = common;
    depth[static_cast<std::size_t>(p)] = depth[static_cast<std::size_t>(common)] + 1;
  }
}

std::vector<int> GraphFacts::between(int from, int to) const {
  const auto span = static_cast<std::size_t>(to - from + 1);
  std::vector<bool> after(span, false), before(span, false);
  after[0] = true;
  before[span - 1] = true;
  const auto mark_after = [&](int p) {
    for (const ValueId input : at(p).node->inputs) {
      const int maker = input == kNone ? -1 : producer(input);
      if (maker >= from && after[static_cast<std::size_t>(maker - from)]) return true;
    }
    return false;
  };
  for (int p = from + 1; p <= to; ++p) after[static_cast<std::size_t>(p - from)] = mark_after(p);
  for (int p = to - 1; p > from; --p) {
    for (const ValueId output : at(p).node->outputs) {
      if (output == kNone) continue;
      for (const int user : users(output)) {
        if (user <= to && before[static_cast<std::size_t>(user - from)]) {
          before[static_cast<std::size_t>(p - from)] = true;
        }
      }
    }
  }
  std::vector<int> nodes;
  for (int p = from + 1; p <= to; ++p) {
    const auto i = static_cast<std::size_t>(p - from);
    if (after[i] && before[i]) nodes.push_back(p);
  }
  return nodes;
}

}  // namespace frit

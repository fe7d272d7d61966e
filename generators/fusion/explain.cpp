#include "generators/fusion/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "generators/fusion/facts.h"

namespace frit {
namespace {

std::string number(double value) {
  const bool whole = value == static_cast<double>(static_cast<std::int64_t>(value));
  return whole ? fmt::format("{}", static_cast<std::int64_t>(value)) : fmt::format("{:.1f}", value);
}

std::string terms_text(const std::vector<CostTerm>& terms) {
  std::string text;
  for (const CostTerm& term : terms) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", term.name, number(term.value));
  }
  return text;
}

std::string edge_text(const Graph& graph, const EdgeVerdict& edge) {
  std::string text = fmt::format(
      "{} -> {}: {}\n  {}\n", label(graph.node(edge.producer)), label(graph.node(edge.consumer)),
      edge.fused ? edge.code : "not fused [" + edge.code + "]", edge.sentence);
  if (!edge.terms.empty()) text += "  " + terms_text(edge.terms) + "\n";
  return text;
}

std::vector<NodeId> nodes_called(const Graph& graph, const std::string& name) {
  std::vector<NodeId> result;
  for (const Node& node : graph.nodes()) {
    const bool origin =
        std::find(node.origins.begin(), node.origins.end(), name) != node.origins.end();
    if (node.name == name || origin) result.push_back(node.id);
  }
  return result;
}

const Group& group_with(const Plan& plan, NodeId node) {
  for (const Group& group : plan.groups) {
    if (std::find(group.nodes.begin(), group.nodes.end(), node) != group.nodes.end()) return group;
  }
  FRIT_ASSERT(false, "a node is in no group");
}

/// Edges on one shortest way from any of `from` to any of `to`; empty when there is none.
std::vector<const EdgeVerdict*> way(const Plan& plan, const std::vector<NodeId>& from,
                                    const std::vector<NodeId>& to) {
  std::map<NodeId, std::vector<const EdgeVerdict*>> reached;
  for (const NodeId node : from) reached[node] = {};
  // Edges stand in topological order of their consumers: one sweep finds shortest ways.
  for (const EdgeVerdict& edge : plan.edges) {
    const auto start = reached.find(edge.producer);
    if (start == reached.end()) continue;
    const auto known = reached.find(edge.consumer);
    if (known != reached.end() && known->second.size() <= start->second.size() + 1) continue;
    std::vector<const EdgeVerdict*> longer = start->second;
    longer.push_back(&edge);
    reached[edge.consumer] = std::move(longer);
  }
  for (const NodeId node : to) {
    const auto found = reached.find(node);
    if (found != reached.end() && !found->second.empty()) return found->second;
  }
  return {};
}

std::string together_text(const Plan& plan, const Graph& graph, NodeId a, NodeId b) {
  const Group& first = group_with(plan, a);
  const Group& second = group_with(plan, b);
  const std::string left = label(graph.node(a)), right = label(graph.node(b));
  if (first.id == second.id) {
    return fmt::format("{} and {} share kernel {} ({} nodes).\n", left, right, first.name,
                       first.nodes.size());
  }
  return fmt::format("{} is in {} and {} in {}: two {}.\n", left, first.name, right, second.name,
                     first.kind == GroupKind::kKernel && second.kind == GroupKind::kKernel
                         ? "kernels"
                         : "groups, of which one needs no code");
}

}  // namespace

std::string_view next_step(std::string_view code) {
  static const std::map<std::string_view, std::string_view> steps = {
      {"user-forbid", "Take the --no-fuse, --fence or --fusion option away."},
      {"device", "Put both nodes on one device."},
      {"opaque-op", "Tell frit the operator's index relation: give it a kind in ops/."},
      {"graph-output", "Take the value off the graph's outputs if no caller needs it."},
      {"would-cycle",
       "Nothing in the plan can help: the node between them must run in between. "
       "Rewrite the model so that it does not need the first result."},
      {"multi-use", "Fuse the other reader too, or let it compute the value itself."},
      {"broadcast",
       "Compute the smaller value in a kernel of its own, as now, or expand it first."},
      {"shape", "Reshape so that both run over the same extents, or fuse up to this point."},
      {"dtype", "Cast inside the first kernel, or keep the wider type in a kernel of its own."},
      {"layout",
       "Pin a storage order in a plan file (frit plan -o, --plan) that serves both, or "
       "move the reshape away from between them."},
      {"attribute", "Write the operation with attributes that one pass can serve."},
      {"alias", "Give the value a copy of its own (an Identity in the model)."},
      {"recompute",
       "--fuse A,B computes it there all the same: build both ways, frit bench times them."},
      {"inner-loop",
       "--fuse A,B puts it there all the same: build both ways, frit bench times them."},
      {"two-reductions",
       "Each reduction needs loops of its own in this version; a fused pair needs "
       "a composed operator (as softmax or layer norm)."},
      {"too-large",
       "Split the work with --fence, or live with two kernels: it costs one trip "
       "through the cache."},
  };
  const auto found = steps.find(code);
  return found == steps.end() ? std::string_view() : found->second;
}

std::string explain_all(const Plan& plan, const Graph& graph) {
  std::string text;
  for (const EdgeVerdict& edge : plan.edges) text += edge_text(graph, edge);
  return text;
}

Result<std::string> explain_pair(const Plan& plan, const Graph& graph, const std::string& a,
                                 const std::string& b) {
  std::vector<NodeId> from = nodes_called(graph, a), to = nodes_called(graph, b);
  for (const auto& [name, nodes] : {std::pair(a, from), std::pair(b, to)}) {
    if (!nodes.empty()) continue;
    return fail("plan-no-such-node", fmt::format("'{}' names no node of '{}'; 'frit show graph' "
                                                 "lists them",
                                                 name, graph.name));
  }
  for (const NodeId node : from) {
    if (a == b || std::find(to.begin(), to.end(), node) == to.end()) continue;
    const Group& group = group_with(plan, node);
    return fmt::format(
        "A pass has made '{}' and '{}' into one node, {}, in {}. 'frit show passes' "
        "says which.\n",
        a, b, label(graph.node(node)), group.name);
  }
  std::string text = together_text(plan, graph, from.back(), to.front());
  std::vector<const EdgeVerdict*> edges = way(plan, from, to);
  if (edges.empty()) edges = way(plan, to, from);
  if (edges.empty()) {
    return text +
           "No value runs from one to the other; only nodes that feed each other are "
           "candidates.\n";
  }
  if (edges.size() > 1) {
    text += fmt::format("No value runs straight from one to the other; the way has {} edges.\n",
                        edges.size());
  }
  for (const EdgeVerdict* edge : edges) {
    text += edge_text(graph, *edge);
    const std::string_view step = edge->fused ? "" : next_step(edge->code);
    if (!step.empty()) text += fmt::format("  next: {}\n", step);
  }
  return text;
}

}  // namespace frit

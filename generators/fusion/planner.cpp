#include "generators/fusion/planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "generators/fusion/assemble.h"
#include "generators/fusion/check_plan.h"
#include "generators/fusion/verdicts.h"

namespace frit {
namespace {

/// A pass may have made one node of both names: then no plan can part them.
Status check_parted(const GraphFacts& facts, const NodePair& pair) {
  const std::vector<int> a = nodes_named(facts, pair.first), b = nodes_named(facts, pair.second);
  if (pair.first == pair.second) {
    return fail("plan-cannot-part",
                fmt::format("--no-fuse {},{} names one node twice; name the two to keep apart, or "
                            "use --fence {}",
                            pair.first, pair.second, pair.first));
  }
  for (const int p : a) {
    if (std::find(b.begin(), b.end(), p) == b.end() || a.size() > 1 || b.size() > 1) continue;
    return fail("plan-cannot-part",
                fmt::format("--no-fuse {},{}: a pass has made both into the one node {}; turn that "
                            "pass off ('frit show passes' names it)",
                            pair.first, pair.second, label(*facts.at(p).node)));
  }
  return {};
}

Status check_options(const GraphFacts& facts, const PlanOptions& options) {
  std::vector<std::string> names = options.fences;
  for (const auto* pairs : {&options.fuse, &options.forbid}) {
    for (const NodePair& pair : *pairs) {
      names.push_back(pair.first);
      names.push_back(pair.second);
    }
  }
  for (const std::string& name : names) {
    if (!nodes_named(facts, name).empty()) continue;
    return fail("plan-no-such-node",
                fmt::format("'{}' names no node of '{}'; 'frit show graph' lists them", name,
                            facts.graph().name));
  }
  for (const NodePair& pair : options.forbid) FRIT_TRY(check_parted(facts, pair));
  return {};
}

PlanOptions only(const NodePair& pair) {
  PlanOptions options;
  options.fuse = {pair};
  return options;
}

/// Every --fuse pair shares a group, or the rule that keeps it apart.
Status check_forced(const GraphFacts& facts, const Grouping& grouping, const Plan& plan,
                    const PlanOptions& options) {
  for (const NodePair& pair : options.fuse) {
    bool together = false;
    for (const int a : nodes_named(facts, pair.first)) {
      for (const int b : nodes_named(facts, pair.second)) {
        together = together || grouping.group_of[static_cast<std::size_t>(a)] ==
                                   grouping.group_of[static_cast<std::size_t>(b)];
      }
    }
    if (together) continue;
    std::string why = "no value runs straight from one to the other";
    std::string code;
    for (const EdgeVerdict& edge : plan.edges) {
      const int a = facts.position(edge.producer), b = facts.position(edge.consumer);
      if (!is_forced(facts, only(pair), a, b)) continue;
      why = edge.sentence;
      code = edge.code;
    }
    return fail("plan-cannot-fuse",
                fmt::format("--fuse {},{}: {}{}; leave it out, frit explain shows each edge",
                            pair.first, pair.second, why, code.empty() ? "" : " (" + code + ")"));
  }
  return {};
}

}  // namespace

Result<Plan> make_plan(const Graph& graph, const PlanOptions& options) {
  auto facts = GraphFacts::of(graph);
  if (!facts) return fail(std::move(facts).error());
  FRIT_TRY(check_options(*facts, options));
  const Layout layout = choose_layout(*facts);
  const Grouping grouping = choose_groups(*facts, layout, options);
  Plan plan;
  for (const int g : execution_order(*facts, grouping)) {
    plan.groups.push_back(make_group(*facts, layout, grouping.groups[static_cast<std::size_t>(g)],
                                     static_cast<int>(plan.groups.size())));
  }
  keep_storage(*facts, layout, plan);
  plan.edges = make_verdicts(*facts, layout, grouping, options);
  FRIT_TRY(check_forced(*facts, grouping, plan, options));
  FRIT_TRY(check_sizes(graph, plan));
  const auto broken = check_plan(graph, plan);
  FRIT_ASSERT(broken.has_value(), broken ? "" : broken.error().message);
  return plan;
}

}  // namespace frit

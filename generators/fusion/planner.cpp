#include "generators/fusion/planner.h"

#include <fmt/format.h>

#include <algorithm>

#include "generators/fusion/assemble.h"
#include "generators/fusion/check_plan.h"
#include "generators/fusion/plan_text.h"
#include "generators/fusion/verdicts.h"

namespace frit {
namespace {

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
    return fail("plan-cannot-fuse", fmt::format("--fuse {},{}: {}{}", pair.first, pair.second, why,
                                                code.empty() ? "" : " (" + code + ")"));
  }
  return {};
}

Result<Plan> pinned_plan(const Graph& graph, const PlanOptions& options) {
  auto plan = parse_plan(options.plan_text, options.plan_file, graph, options);
  if (plan) return *std::move(plan);
  Diagnostic first = plan.error().front();
  for (std::size_t i = 1; i < plan.error().size(); ++i) {
    const Diagnostic& other = plan.error()[i];
    first.notes.push_back(
        fmt::format("line {}: {} [{}]", other.place.line, other.message, other.code));
  }
  return fail(std::move(first));
}

}  // namespace

Result<Plan> make_plan(const Graph& graph, const PlanOptions& options) {
  if (!options.plan_text.empty()) return pinned_plan(graph, options);
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
  const auto broken = check_plan(graph, plan);
  FRIT_ASSERT(broken.has_value(), broken ? "" : broken.error().message);
  return plan;
}

}  // namespace frit

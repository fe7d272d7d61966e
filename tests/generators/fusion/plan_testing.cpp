#include "tests/generators/fusion/plan_testing.h"

#include <gtest/gtest.h>

#include "generators/fusion/check_plan.h"

namespace frit {

std::vector<std::string> Planned::groups(const std::string& kind) const {
  std::vector<std::string> result;
  for (const Group& group : plan.groups) {
    if ((group.kind == GroupKind::kAlias) != (kind == "alias")) continue;
    std::string names;
    for (const NodeId id : group.nodes) names += (names.empty() ? "" : " ") + graph.node(id).name;
    result.push_back(names);
  }
  return result;
}

EdgeVerdict Planned::edge(const std::string& producer, const std::string& consumer) const {
  for (const EdgeVerdict& verdict : plan.edges) {
    if (graph.node(verdict.producer).name == producer &&
        graph.node(verdict.consumer).name == consumer) {
      return verdict;
    }
  }
  ADD_FAILURE() << "no edge from " << producer << " to " << consumer;
  return {};
}

const Storage& Planned::storage(const std::string& value) const {
  return plan.storage.at(graph.value_named(value).value());
}

Planned plan_of(const GraphBuilder& builder, const PlanOptions& options) {
  Planned planned;
  planned.graph = builder.graph();
  insert_layouts(planned.graph);
  planned.graph.check();
  auto plan = make_plan(planned.graph, options);
  EXPECT_TRUE(plan.has_value()) << (plan ? "" : to_text(plan.error()));
  if (plan) planned.plan = *std::move(plan);
  return planned;
}

}  // namespace frit

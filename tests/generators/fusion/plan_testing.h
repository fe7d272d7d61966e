// Plans of small graphs, and what tests ask of them.
#pragma once

#include <string>
#include <vector>

#include "generators/fusion/planner.h"
#include "tests/support/graph_builder.h"

namespace frit {

struct Planned {
  Graph graph;
  Plan plan;

  /// Node names of each group of that kind ("kernel" or "alias"), joined by spaces, in order.
  std::vector<std::string> groups(const std::string& kind) const;
  /// The verdict on the edge between two nodes by name; fails the test when there is none.
  EdgeVerdict edge(const std::string& producer, const std::string& consumer) const;
  const Storage& storage(const std::string& value) const;
};

/// Layouts inserted, planned, checked. Fails the test when planning fails.
Planned plan_of(const GraphBuilder& builder, const PlanOptions& options = {});

}  // namespace frit

// Which nodes share a kernel: greedy growth, each refusal recorded.
//
// 1. Every anchor (reduction or chain) takes the pointwise nodes after it, region by region: from
//    its result to the node where all ways from there meet again (x * sigmoid(x) enters whole).
// 2. What is left grows the same way into elementwise groups.
// 3. From back to front, an elementwise group whose result only one other group reads moves into
//    it as prologue or side input, if the cost model agrees.
// Every group has one output to which all its nodes lead; therefore no two groups can wait for each
// other: a cycle of groups would be a cycle of nodes.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "generators/fusion/layout.h"
#include "generators/fusion/legality.h"

namespace frit {

struct Grouping {
  struct Members {
    std::vector<int> nodes;  ///< positions, ascending
    int anchor = -1;         ///< position of the reduction or chain
    bool alias = false;      ///< one node that needs no code
  };
  std::vector<Members> groups;  ///< no order
  std::vector<int> group_of;    ///< by position
  struct Why {
    Refusal refusal;
    std::vector<CostTerm> terms;
  };
  std::map<std::pair<int, int>, Why> refusals;                 ///< (producer, consumer) positions
  std::map<std::pair<int, int>, std::vector<CostTerm>> terms;  ///< of fused edges
};

Grouping choose_groups(const GraphFacts& facts, const Layout& layout, const PlanOptions& options);

/// Values of a group that are needed outside it, in topological order.
std::vector<ValueId> results_of(const GraphFacts& facts, const Grouping::Members& group);
/// The only one of them; kNone when there is none or several.
ValueId result_of(const GraphFacts& facts, const Grouping::Members& group);

}  // namespace frit

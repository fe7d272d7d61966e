// Chooses which nodes share a kernel and how every value lies in memory.
//
// Input: a Graph after passes (canonical operators, static types). Output: a Plan, every node in
// exactly one group. The way: insert_layouts (Graph) -> make_plan (const Graph). Anchors grow first
// (epilogue, then prologue), the rest becomes elementwise groups; each refusal has a code and a
// sentence (legality.h, cost.h). The same graph and options give the same Plan.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "generators/fusion/cost.h"
#include "generators/fusion/plan.h"

namespace frit {

enum class FusionLevel : std::uint8_t {
  kNone,         ///< one kernel a node; views and storage as ever
  kElementwise,  ///< only groups without an anchor
  kGreedy,       ///< everything legal that the cost model thinks worth it
};

/// Two nodes, each by its name or by the name of an ONNX node that it came from.
using NodePair = std::pair<std::string, std::string>;

struct PlanOptions {
  FusionLevel level = FusionLevel::kGreedy;
  std::vector<NodePair> fuse;                  ///< --fuse A,B: even where the cost model says no
  std::vector<NodePair> forbid;                ///< --no-fuse A,B
  std::vector<std::string> fences;             ///< --fence A: nothing is fused with A
  std::map<std::string, std::string> devices;  ///< node name -> device; absent: the same for all
  MachineProfile machine;
};

/// Inserts Identity nodes (attribute `frit_layout`) where a value must lie otherwise than its
/// maker leaves it: graph inputs read by convolutions, graph outputs made channels-last, graph
/// outputs that are inputs, constants or repeated. Keeps names of graph inputs and outputs.
void insert_layouts(Graph& graph);

/// Errors: "plan-no-such-node" where a name of the options names no node; "plan-cannot-fuse" where
/// a forced pair is illegal (message: the rule and its two facts); "plan-cannot-part" where a pass
/// made one node of a forbidden pair; "plan-unsupported" where a node has no operator or a shape is
/// not constant. A plan pinned by a file is read by parse_plan (plan_text.h) instead.
Result<Plan> make_plan(const Graph& graph, const PlanOptions& options);

}  // namespace frit

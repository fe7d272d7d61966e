// May the value on an edge stay inside one kernel? Hard rules, one code each.
//
//   user-forbid  a person said no                     device     the two nodes run on different
//   devices opaque-op    one side is a black box              graph-output  the caller must get the
//   value would-cycle  the kernel would have to run both before and after another node multi-use
//   another kernel needs the value too   broadcast  the value would be repeated shape        the
//   extents of one loop nest cannot serve both dtype        the element sizes of one vector width
//   cannot serve both attribute    an attribute of the consumer asks for something else than one
//   pass layout, alias  an injective node that cannot be a view (layout.h)
// Refusals for cost have codes too: recompute, inner-loop, two-reductions, too-large (cost.h).
// A rule speaks of kinds and index relations of operators, never of their names.
#pragma once

#include <optional>
#include <string>

#include "generators/fusion/facts.h"
#include "generators/fusion/planner.h"

namespace frit {

struct Refusal {
  std::string code;
  std::string sentence;  ///< the two facts that disagree
};

/// Positions of the nodes that an options' name means (its own name, or that of an origin).
std::vector<int> nodes_named(const GraphFacts& facts, const std::string& name);

/// Rules about two nodes and nothing else: user-forbid, device, opaque-op.
std::optional<Refusal> pair_refusal(const GraphFacts& facts, const PlanOptions& options,
                                    int producer, int consumer);

/// `node` in one kernel with `others`, some edges away: user-forbid.
std::optional<Refusal> forbid_refusal(const GraphFacts& facts, const PlanOptions& options,
                                      const std::vector<int>& others, int node);

/// True where --fuse names this pair.
bool is_forced(const GraphFacts& facts, const PlanOptions& options, int producer, int consumer);

/// `consumer` computed element by element where `value` (the result of a group anchored at
/// `anchor`, -1: none) is made: broadcast, shape, dtype, attribute.
std::optional<Refusal> epilogue_refusal(const GraphFacts& facts, int anchor, ValueId value,
                                        int consumer);

/// `value` is needed by nodes for which `inside` is false: graph-output, would-cycle, multi-use.
/// `consumer` is the reader that would be fused.
std::optional<Refusal> use_refusal(const GraphFacts& facts, ValueId value, int consumer,
                                   const std::vector<bool>& inside);

}  // namespace frit

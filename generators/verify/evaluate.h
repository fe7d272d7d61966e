// Evaluates a graph with the plain-loop reference of ops/reference, node by node.
#pragma once

#include <map>
#include <vector>

#include "generators/graph/graph.h"
#include "ops/reference/reference.h"

namespace frit {

using RefValues = std::map<ValueId, RefTensor>;

enum class Keep : std::uint8_t {
  kOutputs,  ///< graph outputs only; everything else is freed after its last reader
  kAll,      ///< every value but the constants
};

/// Values of a graph whose types are inferred. `inputs`: one for each graph input.
///
/// Errors: "verify-no-input" (a graph input is missing or has another type), "ref-unsupported"
/// (from the reference), "ref-type" (the reference finds another type than shape inference did:
/// one of the two is wrong).
Result<RefValues> evaluate_graph(const Graph& graph, const RefValues& inputs,
                                 RefPrecision precision, Keep keep = Keep::kOutputs);

/// Values of `wanted`, computed by `nodes` (topological order, e.g. of one group) from `known`,
/// which holds every non-constant value that they read from outside.
Result<RefValues> evaluate_nodes(const Graph& graph, const std::vector<NodeId>& nodes,
                                 const RefValues& known, const std::vector<ValueId>& wanted,
                                 RefPrecision precision);

}  // namespace frit

// Evaluates nodes whose inputs are known, by the reference evaluator (double, rounded once).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "generators/graph/graph.h"

namespace frit {

/// What one evaluation may cost. A model of a few bytes can ask for tensors of any size
/// (ConstantOfShape, Expand, Range …), so nothing is evaluated without a bound.
struct FoldLimits {
  std::int64_t elements = 0;  ///< of each input and output
  std::int64_t work = 0;      ///< scalar operations of a reduction
};

/// Enough for the shape arithmetic of any model.
inline constexpr FoldLimits kShapeArithmetic{1 << 16, 1 << 20};

/// Every output of a typed node, where all inputs are constant (or the node is Shape or Size, which
/// read only the type) and the limits allow; else nullopt. Also nullopt where evaluation fails.
std::optional<std::vector<Tensor>> fold_node(const Graph& graph, const Node& node,
                                             const FoldLimits& limits);

}  // namespace frit

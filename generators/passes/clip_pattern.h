// clip(s*x + t, 0, high): the heart of hard-sigmoid and hard-swish.
#pragma once

#include <optional>

#include "generators/passes/product.h"

namespace frit {

struct ClipPattern {
  ScaledShift inner;  ///< s, x and t
  double high = 0;    ///< above 0
};

/// Where `node` is a float Clip from 0 to a positive bound, with constant bounds. `stop_at` ends
/// the walk to x early.
std::optional<ClipPattern> clip_pattern(const Graph& graph, const Node& node,
                                        ValueId stop_at = kNone);

}  // namespace frit

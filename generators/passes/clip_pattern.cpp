#include "generators/passes/clip_pattern.h"

#include <cmath>

#include "generators/passes/rewrite.h"

namespace frit {

std::optional<ClipPattern> clip_pattern(const Graph& graph, const Node& node, ValueId stop_at) {
  if (!is_op(node, "Clip") || node.inputs.size() != 1 || node.outputs.size() != 1 ||
      !is_float(graph.value(node.inputs[0]).type.dtype)) {
    return std::nullopt;
  }
  const float low = float_attribute(node.attributes, "min", NAN);
  const float high = float_attribute(node.attributes, "max", NAN);
  if (low != 0 || !(high > 0) || !std::isfinite(high)) return std::nullopt;
  return ClipPattern{scaled_shift(graph, node.inputs[0], stop_at), high};
}

}  // namespace frit

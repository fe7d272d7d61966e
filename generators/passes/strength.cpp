// strength: the same value by cheaper operators.
//
// Pow by a constant 2 is a product (the same rounding; NaN and Inf alike). Division by a constant
// power of two is a product with its reciprocal, which is exact.
#include <fmt/format.h>

#include <cmath>

#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"

namespace frit {
namespace {

// 1/c where both are powers of two well inside float32's normal range.
std::optional<double> exact_reciprocal(double c) {
  int exponent = 0;
  if (c == 0 || !std::isfinite(c) || std::abs(std::frexp(c, &exponent)) != 0.5) return std::nullopt;
  if (exponent < -100 || exponent > 100) return std::nullopt;
  return 1.0 / c;
}

std::string square(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!is_op(node, "Pow") || !is_filled_with(graph, node.inputs[1], 2.0)) return "";
  const ValueId x = node.inputs[0];
  if (graph.value(x).type != graph.value(node.outputs[0]).type) return "";
  const std::string change = fmt::format("'{}': the square becomes a product", node.name);
  replace_node(graph, id, "Mul", {x, x}, {}, {id});
  return change;
}

std::string divide(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  // float16 has powers of two whose reciprocal it cannot hold.
  if (!is_op(node, "Div") || graph.value(node.outputs[0]).type.dtype != DType::kF32) return "";
  const std::optional<double> c = scalar_constant(graph, node.inputs[1]);
  const std::optional<double> reciprocal = c ? exact_reciprocal(*c) : std::nullopt;
  if (!reciprocal) return "";
  const std::string change =
      fmt::format("'{}': division by {} becomes a product with {}", node.name, *c, *reciprocal);
  const Tensor& divisor = *graph.value(node.inputs[1]).constant;
  const ValueId factor = add_constant(graph, node.name + "/reciprocal",
                                      rounded_tensor(DType::kF32, divisor.dims(), {*reciprocal}));
  replace_node(graph, id, "Mul", {graph.node(id).inputs[0], factor}, {}, {id});
  return change;
}

}  // namespace

Result<PassChanges> reduce_strength(Graph& graph) {
  PassChanges changes;
  for (const NodeId id : node_ids(graph)) {
    std::string change = square(graph, id);
    if (change.empty()) change = divide(graph, id);
    if (!change.empty()) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace frit

#include "generators/passes/product.h"

#include <algorithm>

#include "generators/passes/rewrite.h"

namespace frit {
namespace {

// The number by which the node multiplies `value`, shape kept.
std::optional<double> factor_of(const Graph& graph, const Node& node, ValueId value) {
  const ValueId other = other_input(node, value);
  const std::optional<double> number = scalar_constant(graph, other);
  if (!number || node.outputs.size() != 1 ||
      graph.value(node.outputs[0]).type != graph.value(value).type) {
    return std::nullopt;
  }
  if (is_op(node, "Mul")) return *number;
  if (is_op(node, "Div") && node.inputs[0] == value && *number != 0) return 1.0 / *number;
  return std::nullopt;
}

// The number that the node adds to `value`, shape kept.
std::optional<double> term_of(const Graph& graph, const Node& node, ValueId value) {
  const std::optional<double> number = scalar_constant(graph, other_input(node, value));
  if (!number || node.outputs.size() != 1 ||
      graph.value(node.outputs[0]).type != graph.value(value).type) {
    return std::nullopt;
  }
  if (is_op(node, "Add")) return *number;
  if (is_op(node, "Sub") && node.inputs[0] == value) return -*number;
  return std::nullopt;
}

// factor and the nodes of a chain of products from x to `value`, where `value` is one.
std::optional<ScaledShift> multiple_of(const Graph& graph, ValueId value, ValueId x) {
  ScaledShift walk = scaled_shift(graph, value, x);
  return walk.source == x && walk.shift == 0 ? std::optional(std::move(walk)) : std::nullopt;
}

}  // namespace

ScaledShift scaled_shift(const Graph& graph, ValueId value, ValueId stop_at) {
  ScaledShift walk;
  walk.source = value;
  while (walk.source != stop_at) {
    const Node* node = producer_of(graph, walk.source);
    if (node == nullptr || only_user(graph, walk.source) == nullptr || node->inputs.size() != 2) {
      return walk;
    }
    const ValueId input =
        scalar_constant(graph, node->inputs[1]) ? node->inputs[0] : node->inputs[1];
    if (input == kNone || graph.value(input).constant) return walk;
    // walk(v) = scale*v + shift, with v = factor*u or v = u + term.
    if (const auto factor = factor_of(graph, *node, input)) {
      walk.scale *= *factor;
    } else if (const auto term = term_of(graph, *node, input)) {
      walk.shift += walk.scale * *term;
    } else {
      return walk;
    }
    walk.nodes.push_back(node->id);
    walk.source = input;
  }
  return walk;
}

std::optional<Product> find_product(const Graph& graph, ValueId c, ValueId x, double factor) {
  Product product;
  double reached = 1;
  bool has_x = x == kNone;
  for (ValueId value = c;;) {
    const Node* user = only_user(graph, value);
    if (user == nullptr) return std::nullopt;
    if (const auto number = factor_of(graph, *user, value)) {
      reached *= *number;
    } else if (!has_x && is_op(*user, "Mul") &&
               graph.value(user->outputs[0]).type == graph.value(c).type) {
      const auto multiple = multiple_of(graph, other_input(*user, value), x);
      if (!multiple || other_input(*user, value) == kNone) return std::nullopt;
      reached *= multiple->scale;
      product.nodes.insert(product.nodes.end(), multiple->nodes.begin(), multiple->nodes.end());
      has_x = true;
    } else {
      return std::nullopt;
    }
    product.nodes.push_back(user->id);
    product.root = user->id;
    value = user->outputs[0];
    if (has_x && nearly_equal(reached, factor)) return product;
  }
}

}  // namespace frit

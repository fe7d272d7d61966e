// layer_norm: (x - mean) / sqrt(mean((x - mean)^2) + eps) * gamma + beta becomes
// LayerNormalization.
//
// Only over trailing axes. gamma and beta go in where they are constant and vary along the
// normalised axes alone (a smaller one is spread out to them); else LayerNormalization gets a gamma
// of ones and their Mul and Add stay. A beta goes in only where a gamma did, or there is none.
// The square is Pow by 2 or a product with itself; the quotient a Div, or a product with
// Reciprocal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"

namespace frit {
namespace {

// Mean over the trailing axes [axis, rank) of its input, axes kept; -1: something else.
int trailing_mean_axis(const Graph& graph, const Node* node) {
  if (node == nullptr || !is_op(*node, "ReduceMean") || node->inputs.size() != 1 ||
      int_attribute(node->attributes, "keepdims", 1) != 1) {
    return -1;
  }
  const std::vector<std::int64_t> axes = ints_attribute(node->attributes, "axes", {});
  const int rank = graph.value(node->inputs[0]).type.rank();
  const int first = rank - static_cast<int>(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != first + static_cast<int>(i)) return -1;
  }
  return axes.empty() ? -1 : first;
}

struct Match {
  ValueId x = kNone;
  int axis = 0;
  double epsilon = 0;
  NodeId root = kNone;
  std::vector<NodeId> nodes;
};

bool has_users(const Graph& graph, ValueId value, std::vector<NodeId> expected) {
  std::vector<NodeId> users = graph.users(value);
  std::sort(users.begin(), users.end());
  std::sort(expected.begin(), expected.end());
  return !graph.is_output(value) && users == expected;
}

// From the square's input on: square, mean, + eps, sqrt, quotient.
class Matcher {
 public:
  Matcher(const Graph& graph, const Node& square) : graph_(graph), square_(square) {}

  std::optional<Match> run() {
    if (!is_square() || !find_deviation() || !find_root() || !find_quotient()) return std::nullopt;
    return std::move(match_);
  }

 private:
  bool is_square() const {
    if (square_.inputs.size() != 2) return false;
    if (is_op(square_, "Mul")) return square_.inputs[0] == square_.inputs[1];
    return is_op(square_, "Pow") && is_filled_with(graph_, square_.inputs[1], 2.0);
  }

  // x - mean(x)
  bool find_deviation() {
    const Node* sub = producer_of(graph_, square_.inputs[0]);
    if (sub == nullptr || !is_op(*sub, "Sub")) return false;
    const Node* mean = producer_of(graph_, sub->inputs[1]);
    match_.axis = trailing_mean_axis(graph_, mean);
    if (match_.axis < 0 || mean->inputs[0] != sub->inputs[0] ||
        !has_users(graph_, mean->outputs[0], {sub->id})) {
      return false;
    }
    match_.x = sub->inputs[0];
    deviation_ = sub->outputs[0];
    match_.nodes = {mean->id, sub->id, square_.id};
    return graph_.value(deviation_).type == graph_.value(match_.x).type &&
           is_float(graph_.value(match_.x).type.dtype);
  }

  const Node* step(ValueId& value, std::string_view type) {
    const Node* user = only_user(graph_, value);
    if (user == nullptr || !is_op(*user, type)) return nullptr;
    match_.nodes.push_back(user->id);
    value = user->outputs[0];
    return user;
  }

  // sqrt(mean(square) + eps)
  bool find_root() {
    ValueId value = square_.outputs[0];
    const Node* mean = step(value, "ReduceMean");
    if (mean == nullptr || trailing_mean_axis(graph_, mean) != match_.axis) return false;
    const ValueId variance = value;
    const Node* sum = step(value, "Add");
    if (sum == nullptr) return false;
    const std::optional<double> epsilon = scalar_constant(graph_, other_input(*sum, variance));
    if (!epsilon || *epsilon < 0 || graph_.value(value).type != graph_.value(variance).type) {
      return false;
    }
    match_.epsilon = *epsilon;
    root_ = value;
    return step(root_, "Sqrt") != nullptr;
  }

  // deviation / root
  bool find_quotient() {
    ValueId divisor = root_;
    const bool reciprocal =
        only_user(graph_, divisor) != nullptr && is_op(*only_user(graph_, divisor), "Reciprocal");
    if (reciprocal) step(divisor, "Reciprocal");
    ValueId value = divisor;
    const Node* quotient = step(value, reciprocal ? "Mul" : "Div");
    if (quotient == nullptr || other_input(*quotient, divisor) != deviation_ ||
        (!reciprocal && quotient->inputs[0] != deviation_)) {
      return false;
    }
    match_.root = quotient->id;
    return has_users(graph_, deviation_, {square_.id, quotient->id});
  }

  const Graph& graph_;
  const Node& square_;
  ValueId deviation_ = kNone;
  ValueId root_ = kNone;
  Match match_;
};

// A constant spread out over x's axes [axis, rank); nullopt where it varies along others.
std::optional<Tensor> spread(const Graph& graph, ValueId constant, ValueId x, int axis) {
  if (constant == kNone || !graph.value(constant).constant) return std::nullopt;
  const Tensor& tensor = *graph.value(constant).constant;
  const std::vector<std::int64_t> x_dims = graph.value(x).type.dims();
  if (tensor.rank() > static_cast<int>(x_dims.size()) ||
      tensor.dtype() != graph.value(x).type.dtype) {
    return std::nullopt;
  }
  // Right-aligned, ones in front.
  std::vector<std::int64_t> dims(x_dims.size() - static_cast<std::size_t>(tensor.rank()), 1);
  dims.insert(dims.end(), tensor.dims().begin(), tensor.dims().end());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const bool normalised = static_cast<int>(i) >= axis;
    if (dims[i] != 1 && (!normalised || dims[i] != x_dims[i])) return std::nullopt;
  }
  const std::vector<std::int64_t> target(x_dims.begin() + axis, x_dims.end());
  const std::vector<std::int64_t> source(dims.begin() + axis, dims.end());
  const std::vector<double> values = tensor.to_doubles();
  std::vector<double> result(static_cast<std::size_t>(TensorType(DType::kF32, target).elements()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::size_t rest = i;
    std::size_t position = 0;
    std::size_t stride = 1;
    for (std::size_t a = target.size(); a-- > 0;) {
      const auto extent = static_cast<std::size_t>(target[a]);
      if (source[a] != 1) {
        position += rest % extent * stride;
        stride *= extent;
      }
      rest /= extent;
    }
    result[i] = values[position];
  }
  return rounded_tensor(tensor.dtype(), target, std::move(result));
}

// The Mul or Add with a constant that reads the match's result, and the constant spread out.
std::optional<Tensor> parameter_after(const Graph& graph, const Match& match, std::string_view type,
                                      NodeId& node) {
  const ValueId value = graph.node(match.root).outputs[0];
  const Node* user = only_user(graph, value);
  if (user == nullptr || !is_op(*user, type) ||
      graph.value(user->outputs[0]).type != graph.value(match.x).type) {
    return std::nullopt;
  }
  node = user->id;
  return spread(graph, other_input(*user, value), match.x, match.axis);
}

void extend(Match& match, NodeId node) {
  match.root = node;
  match.nodes.push_back(node);
}

void rewrite(Graph& graph, Match match) {
  const TensorType type = graph.value(match.x).type;
  NodeId next = kNone;
  std::optional<Tensor> gamma = parameter_after(graph, match, "Mul", next);
  const bool other_mul = !gamma && next != kNone;
  if (gamma) extend(match, next);
  const std::optional<Tensor> beta =
      other_mul ? std::nullopt : parameter_after(graph, match, "Add", next);
  if (beta) extend(match, next);
  if (!gamma) {
    const std::vector<std::int64_t> dims = type.dims();
    const std::vector<std::int64_t> inner(dims.begin() + match.axis, dims.end());
    const auto count = static_cast<std::size_t>(TensorType(type.dtype, inner).elements());
    gamma = rounded_tensor(type.dtype, inner, std::vector<double>(count, 1.0));
  }
  const std::string name = graph.node(match.root).name;
  std::vector<ValueId> inputs = {match.x, add_constant(graph, name + "/gamma", *gamma)};
  if (beta) inputs.push_back(add_constant(graph, name + "/beta", *beta));
  replace_node(graph, match.root, "LayerNormalization", std::move(inputs),
               {{"axis", std::int64_t{match.axis}}, {"epsilon", static_cast<float>(match.epsilon)}},
               match.nodes);
}

}  // namespace

Result<PassChanges> recognise_layer_norm(Graph& graph) {
  PassChanges changes;
  for (const NodeId id : node_ids(graph)) {
    if (!has_node(graph, id)) continue;
    const std::optional<Match> match = Matcher(graph, graph.node(id)).run();
    if (!match) continue;
    changes.push_back(fmt::format("the {} nodes from '{}' to '{}' become LayerNormalization",
                                  match->nodes.size(), graph.node(match->nodes[0]).name,
                                  graph.node(match->root).name));
    rewrite(graph, *match);
  }
  return changes;
}

}  // namespace frit

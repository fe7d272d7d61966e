#include "generators/passes/affine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "generators/onnx/names.h"
#include "generators/passes/rewrite.h"

namespace frit {
namespace {

std::size_t channels_of(const Graph& graph, ValueId value) {
  const TensorType& type = graph.value(value).type;
  return type.rank() < 2 ? 0 : static_cast<std::size_t>(type.dims()[1]);
}

// The values of a constant per index of axis 1 of x, or one number for all; nullopt where it varies
// along another axis.
std::optional<std::vector<double>> per_channel(const Graph& graph, ValueId constant, ValueId x) {
  if (constant == kNone || !graph.value(constant).constant) return std::nullopt;
  const Tensor& tensor = *graph.value(constant).constant;
  const std::size_t channels = channels_of(graph, x);
  if (channels == 0 || !is_float(tensor.dtype())) return std::nullopt;
  const std::vector<double> values = tensor.to_doubles();
  if (values.size() == 1) return std::vector<double>(channels, values[0]);
  // Right-aligned: axis 1 of x is this one of the constant.
  const int axis = 1 + tensor.rank() - graph.value(x).type.rank();
  if (axis < 0 || tensor.dims()[static_cast<std::size_t>(axis)] != tensor.elements()) {
    return std::nullopt;
  }
  return values.size() == channels ? std::optional(values) : std::nullopt;
}

}  // namespace

Affine Affine::then(const Affine& next) const {
  Affine result = next;
  for (std::size_t c = 0; c < scale.size(); ++c) {
    result.scale[c] = next.scale[c] * scale[c];
    result.shift[c] = next.scale[c] * shift[c] + next.shift[c];
  }
  return result;
}

std::optional<Affine> batch_norm_affine(const Graph& graph, const Node& node) {
  if (!is_op(node, "BatchNormalization") || node.inputs.size() != 5 || node.outputs.size() != 1) {
    return std::nullopt;
  }
  const std::size_t channels = channels_of(graph, node.inputs[0]);
  std::vector<double> values[4];
  for (std::size_t i = 0; i < 4; ++i) {
    const ValueId parameter = node.inputs[i + 1];
    if (parameter == kNone || !graph.value(parameter).constant) return std::nullopt;
    values[i] = graph.value(parameter).constant->to_doubles();
    if (values[i].size() != channels || channels == 0) return std::nullopt;
  }
  const auto& [scale, bias, mean, variance] = values;
  const double epsilon = float_attribute(node.attributes, "epsilon", 1e-5F);
  Affine affine;
  for (std::size_t c = 0; c < channels; ++c) {
    affine.scale.push_back(scale[c] / std::sqrt(variance[c] + epsilon));
    affine.shift.push_back(bias[c] - mean[c] * affine.scale[c]);
  }
  return affine;
}

std::optional<Affine> arithmetic_affine(const Graph& graph, const Node& node, ValueId x) {
  const ValueId constant = other_input(node, x);
  if (constant == kNone || constant == x || node.outputs.size() != 1 ||
      graph.value(node.outputs[0]).type != graph.value(x).type) {
    return std::nullopt;
  }
  const auto values = per_channel(graph, constant, x);
  if (!values) return std::nullopt;
  const bool x_first = node.inputs[0] == x;
  Affine affine;
  for (const double value : *values) {
    if (is_op(node, "Mul")) {
      affine.scale.push_back(value);
      affine.shift.push_back(0.0);
    } else if (is_op(node, "Add")) {
      affine.scale.push_back(1.0);
      affine.shift.push_back(value);
    } else if (is_op(node, "Sub")) {
      affine.scale.push_back(x_first ? 1.0 : -1.0);
      affine.shift.push_back(x_first ? -value : value);
    } else if (is_op(node, "Div") && x_first && value != 0) {
      affine.scale.push_back(1.0 / value);
      affine.shift.push_back(0.0);
    } else {
      return std::nullopt;
    }
  }
  return affine;
}

AffineChain chain_after(const Graph& graph, ValueId value, const AffineOf& affine_of) {
  AffineChain chain;
  for (;;) {
    const Node* user = only_user(graph, value);
    if (user == nullptr) return chain;
    std::optional<Affine> affine = affine_of(graph, *user, value);
    if (!affine) return chain;
    chain.total = chain.empty() ? std::move(*affine) : chain.total.then(*affine);
    chain.nodes.push_back(user->id);
    value = user->outputs[0];
  }
}

std::optional<Tensor> finite_tensor(DType dtype, std::vector<std::int64_t> dims,
                                    std::vector<double> values) {
  Tensor tensor = rounded_tensor(dtype, std::move(dims), std::move(values));
  const std::vector<double> rounded = tensor.to_doubles();
  const bool finite =
      std::all_of(rounded.begin(), rounded.end(), [](double v) { return std::isfinite(v); });
  return finite ? std::optional(std::move(tensor)) : std::nullopt;
}

std::optional<Tensor> scaled(const Tensor& tensor,
                             const std::function<double(std::size_t)>& factor) {
  const std::vector<double> before = tensor.to_doubles();
  std::vector<double> values = before;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= factor(i);
  std::optional<Tensor> result = finite_tensor(tensor.dtype(), tensor.dims(), std::move(values));
  if (!result) return std::nullopt;
  // A weight that underflows would turn an Inf of the input into a NaN (0 * Inf).
  const std::vector<double> after = result->to_doubles();
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (after[i] == 0 && before[i] != 0 && factor(i) != 0) return std::nullopt;
  }
  return result;
}

void absorb_chain(Graph& graph, NodeId id, const AffineChain& chain) {
  std::vector<NodeId> replaced = chain.nodes;
  replaced.push_back(id);
  std::vector<std::string> origins = merged_origins(graph, replaced);
  const ValueId result = graph.node(chain.nodes.back()).outputs[0];
  for (const NodeId link : chain.nodes) graph.remove_node(link);
  Node& node = graph.node(id);
  graph.value(node.outputs[0]).producer = kNone;
  node.outputs[0] = result;
  node.origins = std::move(origins);
  graph.value(result).producer = id;
}

bool fold_into_conv(Graph& graph, NodeId id, const AffineChain& chain) {
  const Node& conv = graph.node(id);
  const bool has_bias = conv.inputs.size() > 2 && conv.inputs[2] != kNone;
  if (!graph.value(conv.inputs[1]).constant ||
      (has_bias && !graph.value(conv.inputs[2]).constant)) {
    return false;
  }
  const Tensor weights = *graph.value(conv.inputs[1]).constant;
  const auto filters = static_cast<std::size_t>(weights.dims()[0]);
  if (filters == 0 || chain.total.scale.size() != filters) return false;
  const auto per_filter = static_cast<std::size_t>(weights.elements()) / filters;
  const std::optional<Tensor> new_weights =
      scaled(weights, [&](std::size_t i) { return chain.total.scale[i / per_filter]; });
  std::vector<double> bias = has_bias ? graph.value(conv.inputs[2]).constant->to_doubles()
                                      : std::vector<double>(filters, 0.0);
  for (std::size_t k = 0; k < filters; ++k) {
    bias[k] = bias[k] * chain.total.scale[k] + chain.total.shift[k];
  }
  const std::optional<Tensor> new_bias =
      finite_tensor(weights.dtype(), {weights.dims()[0]}, std::move(bias));
  if (!new_weights || !new_bias) return false;
  const std::string name = conv.name;
  const ValueId w = add_constant(graph, name + "/weights", *new_weights);
  const ValueId b = add_constant(graph, name + "/bias", *new_bias);
  Node& changed = graph.node(id);
  changed.inputs = {changed.inputs[0], w, b};
  absorb_chain(graph, id, chain);
  return true;
}

std::string chain_text(const Graph& graph, const AffineChain& chain) {
  std::vector<std::string> names;
  for (const NodeId id : chain.nodes) names.push_back(graph.node(id).name);
  return quoted_names(names);
}

}  // namespace frit

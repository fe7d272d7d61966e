// Affine chains as Mul and Add nodes (affine.h).
#include <algorithm>
#include <cmath>

#include "generators/passes/affine.h"
#include "generators/passes/rewrite.h"

namespace frit {
namespace {

// One constant per channel, shaped to broadcast along axis 1.
std::optional<Tensor> per_channel(const TensorType& type, const std::vector<double>& values) {
  std::vector<std::int64_t> dims(static_cast<std::size_t>(type.rank()), 1);
  dims[1] = type.dims()[1];
  if (static_cast<std::int64_t>(values.size()) != dims[1]) return std::nullopt;
  return finite_tensor(type.dtype, dims, values);
}

// x * scale + shift in place of node `root`, which writes the result; `replaced` as replace_node.
bool put_mul_add(Graph& graph, NodeId root, ValueId x, const Affine& affine,
                 const std::vector<NodeId>& replaced) {
  const Node old = graph.node(root);
  const TensorType type = graph.value(old.outputs[0]).type;
  const auto scale = per_channel(type, affine.scale);
  const auto shift = per_channel(type, affine.shift);
  if (!scale || !shift) return false;
  Node product;
  product.type = "Mul";
  product.name = old.name + "/scale";
  product.opset = old.opset;
  product.inputs = {x, add_constant(graph, old.name + "/scale_constant", *scale)};
  product.outputs = {add_result(graph, old.name + "/scaled", type)};
  product.origins = merged_origins(graph, replaced);
  const ValueId scaled_value = product.outputs[0];
  graph.insert_node(std::move(product), root);
  replace_node(graph, root, "Add",
               {scaled_value, add_constant(graph, old.name + "/shift_constant", *shift)}, {},
               replaced);
  return true;
}

bool all_zero(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v == 0.0; });
}

// Mul by constants, or Mul and then Add, with no bias before it: as good as it gets.
bool has_gathered_form(const Graph& graph, const AffineChain& chain, bool has_bias) {
  const Node& first = graph.node(chain.nodes.front());
  if (is_op(first, "BatchNormalization")) return false;
  if (chain.nodes.size() == 1) return all_zero(chain.total.shift);
  return chain.nodes.size() == 2 && !has_bias && is_op(first, "Mul") &&
         is_op(graph.node(chain.nodes.back()), "Add");
}

}  // namespace

bool scales_exactly(const std::vector<double>& scale) {
  return std::all_of(scale.begin(), scale.end(), [](double s) {
    int exponent = 0;
    return s == 0.0 || std::abs(std::frexp(s, &exponent)) == 0.5;
  });
}

bool gather_after_conv(Graph& graph, NodeId id, const AffineChain& chain) {
  const Node& conv = graph.node(id);
  const bool has_bias = conv.inputs.size() > 2 && conv.inputs[2] != kNone;
  if (has_bias && !graph.value(conv.inputs[2]).constant) return false;
  if (has_gathered_form(graph, chain, has_bias)) return false;
  Affine total = chain.total;
  if (has_bias) {
    const std::vector<double> bias = graph.value(conv.inputs[2]).constant->to_doubles();
    if (bias.size() != total.scale.size()) return false;
    for (std::size_t k = 0; k < bias.size(); ++k) total.shift[k] += bias[k] * total.scale[k];
  }
  const ValueId product = conv.outputs[0];
  if (!put_mul_add(graph, chain.nodes.back(), product, total, chain.nodes)) return false;
  if (has_bias) graph.node(id).inputs.resize(2);
  return true;
}

std::vector<std::string> take_batch_norms_apart(Graph& graph) {
  std::vector<std::string> changes;
  for (const NodeId id : node_ids(graph)) {
    const Node node = graph.node(id);
    if (!is_op(node, "BatchNormalization")) continue;
    const std::optional<Affine> affine = batch_norm_affine(graph, node);
    if (!affine || !put_mul_add(graph, id, node.inputs[0], *affine, {id})) continue;
    changes.push_back("'" + node.name + "' becomes Mul and Add");
  }
  return changes;
}

}  // namespace frit

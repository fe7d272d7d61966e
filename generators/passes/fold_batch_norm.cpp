// fold_batch_norm: BatchNormalization goes into the weights of what is before it.
//
//   Conv    w'[k,…] = w[k,…] * f[k]    b'[k] = b[k] * f[k] + shift[k]     f = scale / sqrt(var +
//   eps) Gemm    B'[.,n] = B[.,n] * f[n]    C' = beta * C * f + shift, beta' = 1 MatMul  of two
//   matrices, as Gemm; the shift stays as an Add.
//
// Not where anything lies between (an activation), where the product is read elsewhere or is a
// graph output, or where parameters are not constant. Weights that others share are copied. A
// BatchNormalization that stays becomes Mul and Add with one constant per channel.
#include <fmt/format.h>

#include "generators/passes/affine.h"
#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"

namespace frit {
namespace {

std::optional<Affine> only_batch_norm(const Graph& graph, const Node& node, ValueId x) {
  if (node.inputs.empty() || node.inputs[0] != x) return std::nullopt;
  return batch_norm_affine(graph, node);
}

// The columns of the constant matrix `b`, one per channel, scaled.
std::optional<Tensor> scaled_columns(const Tensor& b, bool transposed, const Affine& affine) {
  if (b.rank() != 2) return std::nullopt;
  const auto columns = static_cast<std::size_t>(b.dims()[transposed ? 0 : 1]);
  const auto rows = static_cast<std::size_t>(b.dims()[transposed ? 1 : 0]);
  if (columns != affine.scale.size() || rows == 0) return std::nullopt;
  return scaled(b,
                [&](std::size_t i) { return affine.scale[transposed ? i / rows : i % columns]; });
}

// beta * C * f + shift, as large as C and the row of channels make it.
std::optional<Tensor> gemm_addend(const Graph& graph, const Node& gemm, const Affine& affine) {
  const std::size_t columns = affine.scale.size();
  const DType dtype = graph.value(gemm.outputs[0]).type.dtype;
  const bool has_c = gemm.inputs.size() > 2 && gemm.inputs[2] != kNone;
  if (!has_c) return finite_tensor(dtype, {static_cast<std::int64_t>(columns)}, affine.shift);
  if (!graph.value(gemm.inputs[2]).constant) return std::nullopt;
  const Tensor& c = *graph.value(gemm.inputs[2]).constant;
  if (c.rank() > 2) return std::nullopt;
  const std::int64_t c_columns = c.rank() > 0 ? c.dims().back() : 1;
  const std::int64_t c_rows = c.rank() == 2 ? c.dims()[0] : 1;
  const double beta = float_attribute(gemm.attributes, "beta", 1.0F);
  const std::vector<double> values = c.to_doubles();
  std::vector<double> result;
  for (std::int64_t row = 0; row < c_rows; ++row) {
    for (std::size_t n = 0; n < columns; ++n) {
      const std::int64_t column = c_columns == 1 ? 0 : static_cast<std::int64_t>(n);
      const double value = values[static_cast<std::size_t>(row * c_columns + column)];
      result.push_back(beta * value * affine.scale[n] + affine.shift[n]);
    }
  }
  return finite_tensor(dtype, {c_rows, static_cast<std::int64_t>(columns)}, std::move(result));
}

bool fold_into_gemm(Graph& graph, NodeId id, const AffineChain& chain) {
  const Node& gemm = graph.node(id);
  if (!graph.value(gemm.inputs[1]).constant) return false;
  const bool transposed = int_attribute(gemm.attributes, "transB", 0) != 0;
  const auto b = scaled_columns(*graph.value(gemm.inputs[1]).constant, transposed, chain.total);
  const auto c = gemm_addend(graph, gemm, chain.total);
  if (!b || !c) return false;
  const std::string name = gemm.name;
  const ValueId weights = add_constant(graph, name + "/weights", *b);
  const ValueId addend = add_constant(graph, name + "/bias", *c);
  Node& changed = graph.node(id);
  changed.inputs = {changed.inputs[0], weights, addend};
  changed.attributes["beta"] = 1.0F;
  absorb_chain(graph, id, chain);
  return true;
}

// MatMul has no bias: the first BatchNormalization becomes the Add of the shift.
bool fold_into_matmul(Graph& graph, NodeId id, const AffineChain& chain) {
  const Node& matmul = graph.node(id);
  if (!graph.value(matmul.inputs[1]).constant || graph.value(matmul.outputs[0]).type.rank() != 2 ||
      graph.value(matmul.inputs[0]).type.rank() != 2) {
    return false;
  }
  const auto b = scaled_columns(*graph.value(matmul.inputs[1]).constant, false, chain.total);
  const auto shift =
      finite_tensor(graph.value(matmul.outputs[0]).type.dtype,
                    {static_cast<std::int64_t>(chain.total.shift.size())}, chain.total.shift);
  if (!b || !shift) return false;
  const std::string name = matmul.name;
  const ValueId product = matmul.outputs[0];
  const ValueId weights = add_constant(graph, name + "/weights", *b);
  const ValueId addend = add_constant(graph, name + "/bias", *shift);
  graph.node(id).inputs[1] = weights;
  replace_node(graph, chain.nodes.back(), "Add", {product, addend}, {}, chain.nodes);
  return true;
}

bool fold_chain(Graph& graph, NodeId id, const AffineChain& chain) {
  const Node& node = graph.node(id);
  if (is_op(node, "Conv")) return fold_into_conv(graph, id, chain);
  if (is_op(node, "Gemm")) return fold_into_gemm(graph, id, chain);
  return is_op(node, "MatMul") && fold_into_matmul(graph, id, chain);
}

}  // namespace

Result<PassChanges> fold_batch_norm(Graph& graph) {
  PassChanges changes;
  for (const NodeId id : node_ids(graph)) {
    if (!has_node(graph, id)) continue;
    const Node& node = graph.node(id);
    if (!is_op(node, "Conv") && !is_op(node, "Gemm") && !is_op(node, "MatMul")) continue;
    const AffineChain chain = chain_after(graph, node.outputs[0], only_batch_norm);
    if (chain.empty()) continue;
    std::string change = fmt::format("{} went into '{}'", chain_text(graph, chain), node.name);
    if (fold_chain(graph, id, chain)) changes.push_back(std::move(change));
  }
  for (std::string& change : take_batch_norms_apart(graph)) changes.push_back(std::move(change));
  return changes;
}

}  // namespace frit

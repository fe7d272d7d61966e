// y[n,c,…] = scale[c] * x[n,c,…] + shift[c]: what batch normalisation and constant Mul, Add, Sub
// and Div are, and how a chain of them goes into the weights of a convolution. All in double; only
// the new weights are rounded, once.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "generators/graph/graph.h"

namespace frit {

struct Affine {
  std::vector<double> scale;  ///< one per channel
  std::vector<double> shift;
  /// This one first, then `next`.
  Affine then(const Affine& next) const;
};

/// BatchNormalization with constant parameters, over axis 1.
std::optional<Affine> batch_norm_affine(const Graph& graph, const Node& node);
/// Mul, Add, Sub, Div of `x` and a constant that is one number, or one per index of axis 1; the
/// constant must not enlarge x's shape.
std::optional<Affine> arithmetic_affine(const Graph& graph, const Node& node, ValueId x);

/// Consecutive affine nodes.
struct AffineChain {
  std::vector<NodeId> nodes;  ///< in the order of the graph
  Affine total;
  bool empty() const { return nodes.empty(); }
};
using AffineOf = std::function<std::optional<Affine>(const Graph&, const Node&, ValueId)>;

/// The chain that starts where `value` is read, as long as each value has one reader and is no
/// graph output.
AffineChain chain_after(const Graph& graph, ValueId value, const AffineOf& affine_of);

/// A constant scaled elementwise by factor(i) in double and rounded once; nullopt where a value
/// would become infinite, NaN or, not being 0 before, 0.
std::optional<Tensor> scaled(const Tensor& tensor,
                             const std::function<double(std::size_t)>& factor);
/// Rounded once; nullopt where one becomes infinite or NaN.
std::optional<Tensor> finite_tensor(DType dtype, std::vector<std::int64_t> dims,
                                    std::vector<double> values);

/// Puts the chain into the weights and bias of the convolution `conv` before it. The weights are
/// new constants: others may share the old ones. False, and nothing done, where weights or bias are
/// not constant or the new ones would not be finite.
bool fold_into_conv(Graph& graph, NodeId conv, const AffineChain& chain);

/// Leaves the convolution's weights as they are and makes the chain one Mul and one Add after it,
/// each with one constant per channel; the convolution's bias goes into the Add. False, and nothing
/// done, where the chain has that form or one node does for it, or as for fold_into_conv.
bool gather_after_conv(Graph& graph, NodeId conv, const AffineChain& chain);

/// Makes every BatchNormalization with constant parameters Mul and Add, one constant per channel
/// each; a sentence for each.
std::vector<std::string> take_batch_norms_apart(Graph& graph);

/// True when scaling by all of these rounds nothing: each is 0 or a power of two.
bool scales_exactly(const std::vector<double>& scale);

/// Makes `node` write what the chain's last node wrote, and removes the chain.
void absorb_chain(Graph& graph, NodeId node, const AffineChain& chain);

/// "'bn1' and 'mul1'"
std::string chain_text(const Graph& graph, const AffineChain& chain);

}  // namespace frit

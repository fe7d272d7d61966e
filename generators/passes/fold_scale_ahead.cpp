// fold_scale_ahead: Mul, Add, Sub, Div by constants per channel go into the Conv after them.
//
//   conv(s[c]*x + t[c])   w'[k,c,…] = w[k,c,…] * s[c]    b'[k] = b[k] + sum_{c,…} w[k,c,…] * t[c]
//
// The shift only where the convolution pads nothing: its padding is zeros after the shift. Not
// where the scaled value has another reader or is a graph output.
#include <fmt/format.h>

#include <algorithm>

#include "generators/passes/affine.h"
#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"

namespace frit {
namespace {

bool pads_nothing(const Node& conv) {
  const std::vector<std::int64_t> pads = ints_attribute(conv.attributes, "pads", {});
  return std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad == 0; });
}

// The affine node that writes `value` for one reader alone, and which of its inputs it scales.
struct Link {
  NodeId id = kNone;
  ValueId source = kNone;
  Affine affine;
};

std::optional<Link> link_before(const Graph& graph, ValueId value) {
  const Node* node = producer_of(graph, value);
  if (node == nullptr || only_user(graph, value) == nullptr) return std::nullopt;
  for (const ValueId input : node->inputs) {
    if (input == kNone || graph.value(input).constant) continue;
    if (auto affine = arithmetic_affine(graph, *node, input)) {
      return Link{node->id, input, std::move(*affine)};
    }
  }
  return std::nullopt;
}

// The chain that ends at the convolution's input, and the value before it.
std::pair<AffineChain, ValueId> chain_before(const Graph& graph, const Node& conv) {
  AffineChain chain;
  ValueId value = conv.inputs[0];
  const bool takes_shift = pads_nothing(conv);
  while (auto link = link_before(graph, value)) {
    const std::vector<double>& shift = link->affine.shift;
    if (!takes_shift && std::any_of(shift.begin(), shift.end(), [](double t) { return t != 0; })) {
      break;
    }
    chain.total = chain.empty() ? link->affine : link->affine.then(chain.total);
    chain.nodes.insert(chain.nodes.begin(), link->id);
    value = link->source;
  }
  return {std::move(chain), value};
}

// b[k] + the sum of filter k over what the shift adds to its channels.
std::vector<double> shifted_bias(const Graph& graph, const Node& conv, const Tensor& weights,
                                 std::size_t filters_per_group, const std::vector<double>& shift) {
  const auto filters = static_cast<std::size_t>(weights.dims()[0]);
  const auto channels = static_cast<std::size_t>(weights.dims()[1]);
  const std::vector<double> w = weights.to_doubles();
  const std::size_t window = w.size() / filters / channels;
  const bool has_bias = conv.inputs.size() > 2 && conv.inputs[2] != kNone;
  std::vector<double> bias = has_bias ? graph.value(conv.inputs[2]).constant->to_doubles()
                                      : std::vector<double>(filters, 0.0);
  for (std::size_t k = 0; k < filters; ++k) {
    for (std::size_t c = 0; c < channels; ++c) {
      double sum = 0;
      for (std::size_t r = 0; r < window; ++r) sum += w[(k * channels + c) * window + r];
      bias[k] += sum * shift[k / filters_per_group * channels + c];
    }
  }
  return bias;
}

bool fold(Graph& graph, NodeId id, const AffineChain& chain, ValueId source) {
  const Node& conv = graph.node(id);
  const bool has_bias = conv.inputs.size() > 2 && conv.inputs[2] != kNone;
  if (!graph.value(conv.inputs[1]).constant ||
      (has_bias && !graph.value(conv.inputs[2]).constant)) {
    return false;
  }
  const Tensor weights = *graph.value(conv.inputs[1]).constant;
  if (weights.elements() == 0) return false;
  const auto group = static_cast<std::size_t>(int_attribute(conv.attributes, "group", 1));
  const std::size_t filters_per_group = static_cast<std::size_t>(weights.dims()[0]) / group;
  const auto channels = static_cast<std::size_t>(weights.dims()[1]);
  const std::size_t per_filter =
      static_cast<std::size_t>(weights.elements()) / static_cast<std::size_t>(weights.dims()[0]);
  const std::size_t window = per_filter / channels;
  const auto new_weights = scaled(weights, [&](std::size_t i) {
    const std::size_t first = i / per_filter / filters_per_group * channels;
    return chain.total.scale[first + i % per_filter / window];
  });
  const auto new_bias =
      finite_tensor(weights.dtype(), {weights.dims()[0]},
                    shifted_bias(graph, conv, weights, filters_per_group, chain.total.shift));
  if (!new_weights || !new_bias) return false;
  const std::string name = conv.name;
  std::vector<NodeId> replaced = chain.nodes;
  replaced.push_back(id);
  std::vector<std::string> origins = merged_origins(graph, replaced);
  const ValueId w = add_constant(graph, name + "/weights", *new_weights);
  const ValueId b = add_constant(graph, name + "/bias", *new_bias);
  Node& changed = graph.node(id);
  changed.inputs = {source, w, b};
  changed.origins = std::move(origins);
  for (auto link = chain.nodes.rbegin(); link != chain.nodes.rend(); ++link) {
    graph.remove_node(*link);
  }
  return true;
}

}  // namespace

Result<PassChanges> fold_scale_ahead(Graph& graph) {
  PassChanges changes;
  for (const NodeId id : node_ids(graph)) {
    if (!has_node(graph, id) || !is_op(graph.node(id), "Conv")) continue;
    const auto [chain, source] = chain_before(graph, graph.node(id));
    if (chain.empty()) continue;
    std::string change =
        fmt::format("{} went into '{}'", chain_text(graph, chain), graph.node(id).name);
    if (fold(graph, id, chain, source)) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace frit

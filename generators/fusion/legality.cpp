#include "generators/fusion/legality.h"

#include <fmt/format.h>

#include <algorithm>

namespace frit {
namespace {

bool is_named(const Node& node, const std::string& name) {
  return node.name == name ||
         std::find(node.origins.begin(), node.origins.end(), name) != node.origins.end();
}

bool is_pair(const NodePair& pair, const Node& a, const Node& b) {
  return (is_named(a, pair.first) && is_named(b, pair.second)) ||
         (is_named(a, pair.second) && is_named(b, pair.first));
}

std::string device_of(const PlanOptions& options, const Node& node) {
  const auto place = options.devices.find(node.name);
  return place == options.devices.end() ? "cpu" : place->second;
}

std::string typed(const GraphFacts& facts, ValueId value) {
  const Value& v = facts.graph().value(value);
  return fmt::format("'{}' {}", v.name, to_text(v.type));
}

/// ONNX aligns shapes at their last axes: does every element of `from` appear once in `to`?
bool covers_once(const TensorType& from, const TensorType& to) { return from.shape == to.shape; }

bool broadcasts_into(const TensorType& from, const TensorType& to) {
  const auto joined = broadcast_dims(from.dims(), to.dims());
  return joined && *joined == to.dims();
}

}  // namespace

std::vector<int> nodes_named(const GraphFacts& facts, const std::string& name) {
  std::vector<int> result;
  for (int p = 0; p < facts.size(); ++p) {
    if (is_named(*facts.at(p).node, name)) result.push_back(p);
  }
  return result;
}

bool is_forced(const GraphFacts& facts, const PlanOptions& options, int producer, int consumer) {
  const Node& a = *facts.at(producer).node;
  const Node& b = *facts.at(consumer).node;
  return std::any_of(options.fuse.begin(), options.fuse.end(),
                     [&](const NodePair& pair) { return is_pair(pair, a, b); });
}

std::optional<Refusal> forbid_refusal(const GraphFacts& facts, const PlanOptions& options,
                                      const std::vector<int>& others, int node) {
  const Node& b = *facts.at(node).node;
  for (const NodePair& pair : options.forbid) {
    for (const int other : others) {
      const Node& a = *facts.at(other).node;
      if (other == node || !is_pair(pair, a, b)) continue;
      return Refusal{"user-forbid",
                     fmt::format("{} and {} would share a kernel, but --no-fuse {},{} forbids it",
                                 label(a), label(b), pair.first, pair.second)};
    }
  }
  return std::nullopt;
}

std::optional<Refusal> pair_refusal(const GraphFacts& facts, const PlanOptions& options,
                                    int producer, int consumer) {
  const Node& a = *facts.at(producer).node;
  const Node& b = *facts.at(consumer).node;
  if (auto forbidden = forbid_refusal(facts, options, {producer}, consumer)) return forbidden;
  for (const std::string& fence : options.fences) {
    if (!is_named(a, fence) && !is_named(b, fence)) continue;
    return Refusal{"user-forbid", fmt::format("{} feeds {}, but --fence {} keeps that node alone",
                                              label(a), label(b), fence)};
  }
  if (device_of(options, a) != device_of(options, b)) {
    return Refusal{"device", fmt::format("{} runs on {}, but {} runs on {}", label(a),
                                         device_of(options, a), label(b), device_of(options, b))};
  }
  for (const int p : {producer, consumer}) {
    const NodeFacts& node = facts.at(p);
    if (node.kind != OpKind::kOpaque && node.kind != OpKind::kShape) continue;
    const Node& other = p == producer ? b : a;
    return Refusal{"opaque-op",
                   fmt::format("{} would share a kernel with {}, but the latter is a black box to "
                               "the planner",
                               label(other), label(*node.node))};
  }
  return std::nullopt;
}

std::optional<Refusal> epilogue_refusal(const GraphFacts& facts, int anchor, ValueId value,
                                        int consumer) {
  const NodeFacts& node = facts.at(consumer);
  const Graph& graph = facts.graph();
  const TensorType& made = graph.value(value).type;
  const ValueId result = node.node->outputs[0];
  const TensorType& asked = graph.value(result).type;
  const auto used = std::count_if(node.node->outputs.begin(), node.node->outputs.end(),
                                  [](ValueId v) { return v != kNone; });
  if (used != 1) {
    return Refusal{"attribute", fmt::format("{} has {} outputs, but a kernel with one loop nest "
                                            "writes one",
                                            label(*node.node), used)};
  }
  if (!covers_once(made, asked)) {
    const bool repeated = made.elements() < asked.elements() && broadcasts_into(made, asked);
    if (repeated) {
      return Refusal{"broadcast",
                     fmt::format("{} has {} elements, but {} repeats them to the {} of {}",
                                 typed(facts, value), made.elements(), label(*node.node),
                                 asked.elements(), typed(facts, result))};
    }
    return Refusal{"shape",
                   fmt::format("the loops run over {}, but {} makes {}", typed(facts, value),
                               label(*node.node), typed(facts, result))};
  }
  if (anchor >= 0) {
    const TensorType& summed = graph.value(facts.at(anchor).node->outputs[0]).type;
    if (size_bytes(asked.dtype) > size_bytes(summed.dtype)) {
      return Refusal{"dtype",
                     fmt::format("{} computes {} ({} bytes an element), but {} makes {} ({} bytes)",
                                 label(*facts.at(anchor).node), name_of(summed.dtype),
                                 size_bytes(summed.dtype), label(*node.node), name_of(asked.dtype),
                                 size_bytes(asked.dtype))};
    }
  }
  return std::nullopt;
}

std::optional<Refusal> use_refusal(const GraphFacts& facts, ValueId value, int consumer,
                                   const std::vector<bool>& inside) {
  const Graph& graph = facts.graph();
  const std::string& name = graph.value(value).name;
  const std::string to = label(*facts.at(consumer).node);
  if (graph.is_output(value)) {
    return Refusal{"graph-output",
                   fmt::format("'{}' is a graph output and must be stored, but {} would keep it in "
                               "a kernel",
                               name, to)};
  }
  int other = -1;
  for (const int user : facts.users(value)) {
    if (inside[static_cast<std::size_t>(user)] || user == consumer) continue;
    if (user < consumer && !facts.between(user, consumer).empty()) {
      return Refusal{
          "would-cycle",
          fmt::format("{} needs the result of {}, but {} needs '{}' first: one kernel "
                      "would run both before and after it",
                      to, label(*facts.at(user).node), label(*facts.at(user).node), name)};
    }
    if (other < 0) other = user;
  }
  if (other < 0) return std::nullopt;
  return Refusal{"multi-use", fmt::format("'{}' goes to {}, but {} in another kernel reads it too",
                                          name, to, label(*facts.at(other).node))};
}

}  // namespace frit

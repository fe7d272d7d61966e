#include "generators/graph/infer.h"

#include <fmt/format.h>

#include <algorithm>

#include "generators/graph/limits.h"
#include "ops/border_size.h"
#include "ops/operator.h"

namespace frit {
namespace {

// The first of outputs[from…] that something reads; kNone when there is none.
ValueId read_beyond(const Graph& graph, const Node& node, std::size_t from) {
  for (std::size_t i = from; i < node.outputs.size(); ++i) {
    const ValueId value = node.outputs[i];
    if (value != kNone && (graph.is_output(value) || !graph.users(value).empty())) return value;
  }
  return kNone;
}

}  // namespace

Status infer_node(Graph& graph, NodeId id) {
  Node& node = graph.node(id);
  const Operator* op = find_operator(node.domain, node.type);
  if (op == nullptr) {
    return fail("onnx-unsupported-op",
                fmt::format("node '{}': frit has no operator '{}'; frit ops lists those it has",
                            node.name, node.type));
  }
  OpInstance instance = graph.instance(node);
  const Result<std::vector<TensorType>> types = op->infer(instance);
  if (!types) return fail(types.error());
  instance.outputs = *types;
  FRIT_TRY(check_border_sizes(*op, instance));
  if (types->size() < node.outputs.size()) {
    if (const ValueId read = read_beyond(graph, node, types->size()); read != kNone) {
      const auto place = std::find(node.outputs.begin(), node.outputs.end(), read);
      return fail("onnx-unsupported-output",
                  fmt::format("node '{}' ({}): the model reads its output {}, '{}', but frit "
                              "computes only the first {}; export the model without it",
                              node.name, node.type, place - node.outputs.begin(),
                              graph.value(read).name, types->size()));
    }
    for (std::size_t i = types->size(); i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNone) graph.value(node.outputs[i]).producer = kNone;
    }
    node.outputs.resize(types->size());
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const TensorType& type = (*types)[i];
    if (const std::string why = limit_fault(type.dims()); !why.empty()) {
      return fail("onnx-too-large",
                  fmt::format("node '{}' ({}) would give {}, which {}; correct the model or pass a "
                              "smaller --shape",
                              node.name, node.type, to_text(type), why));
    }
    if (node.outputs[i] != kNone) graph.value(node.outputs[i]).type = type;
  }
  return {};
}

Status infer_types(Graph& graph) {
  std::vector<NodeId> ids;
  for (const Node& node : graph.nodes()) ids.push_back(node.id);
  for (const NodeId id : ids) FRIT_TRY(infer_node(graph, id));
  return {};
}

}  // namespace frit

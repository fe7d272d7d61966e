// canonicalise: the forms of ops/README.md, whatever the model's opset.
//
// Constant parameter inputs become attributes or tables (Operator::canonicalise), Split becomes one
// Slice for each of its outputs, and the constant operand of a commutative operator stands second.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"
#include "ops/operator.h"

namespace frit {
namespace {

bool is_commutative(const Node& node) {
  static constexpr std::string_view kTypes[] = {"Add", "Mul", "Max", "Min", "Equal", "And", "Or"};
  return std::any_of(std::begin(kTypes), std::end(kTypes),
                     [&](std::string_view type) { return is_op(node, type); });
}

bool constant_goes_second(const Graph& graph, Node& node) {
  if (!is_commutative(node) || node.inputs.size() != 2) return false;
  if (node.inputs[0] == kNone || node.inputs[1] == kNone) return false;
  if (!graph.value(node.inputs[0]).constant || graph.value(node.inputs[1]).constant) return false;
  std::swap(node.inputs[0], node.inputs[1]);
  return true;
}

// One Slice for each output. The canonical Split has `axis` and `split`.
void split_into_slices(Graph& graph, NodeId id) {
  const Node split = graph.node(id);
  const ValueId input = split.inputs.at(0);
  const std::vector<std::int64_t> dims = graph.value(input).type.dims();
  const std::int64_t axis = int_attribute(split.attributes, "axis", 0);
  const std::vector<std::int64_t> sizes = ints_attribute(split.attributes, "split", {});
  std::int64_t start = 0;
  for (std::size_t i = 0; i < split.outputs.size(); ++i) {
    std::vector<std::int64_t> starts(dims.size(), 0);
    std::vector<std::int64_t> ends = dims;
    starts[static_cast<std::size_t>(axis)] = start;
    start += sizes.at(i);
    ends[static_cast<std::size_t>(axis)] = start;
    if (split.outputs[i] == kNone) continue;
    Node slice;
    slice.type = "Slice";
    slice.name = fmt::format("{}/{}", split.name, i);
    slice.opset = split.opset;
    slice.attributes = {
        {"starts", starts}, {"ends", ends}, {"steps", std::vector<std::int64_t>(dims.size(), 1)}};
    slice.inputs = {input};
    slice.outputs = {split.outputs[i]};
    slice.origins = split.origins;
    graph.insert_node(std::move(slice), id);
  }
  graph.remove_node(id);
}

}  // namespace

Result<PassChanges> canonicalise(Graph& graph) {
  PassChanges changes;
  for (const NodeId id : node_ids(graph)) {
    Node& node = graph.node(id);
    const Operator* rule = find_operator(node.domain, node.type);
    if (rule == nullptr) {
      return fail("onnx-unsupported-op",
                  fmt::format("node '{}': frit has no operator '{}'; frit ops lists those it has",
                              node.name, node.type));
    }
    OpInstance op = graph.instance(node);
    if (const Status status = rule->canonicalise(op); !status) return fail(status.error());
    if (op.type != node.type) {
      changes.push_back(fmt::format("'{}': {} becomes {}", node.name, node.type, op.type));
    } else if (op.inputs.size() < node.inputs.size()) {
      changes.push_back(fmt::format("'{}': {} of {} inputs become attributes", node.name,
                                    node.inputs.size() - op.inputs.size(), node.inputs.size()));
    }
    take_canonical(graph, node, std::move(op));
    if (constant_goes_second(graph, node)) {
      changes.push_back(
          fmt::format("'{}': the constant of {} stands second", node.name, node.type));
    }
    if (is_op(node, "Split")) {
      changes.push_back(
          fmt::format("'{}': Split becomes {} Slice nodes", node.name, node.outputs.size()));
      split_into_slices(graph, id);
    }
  }
  return changes;
}

}  // namespace frit

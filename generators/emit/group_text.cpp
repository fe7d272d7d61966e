#include "generators/emit/group_text.h"

#include <fmt/format.h>

#include "generators/compose/compose.h"
#include "generators/emit/hash.h"

namespace frit {
namespace {

std::string attribute_text(const Attribute& attribute) {
  if (const Tensor* tensor = std::get_if<Tensor>(&attribute)) {
    return to_text(attribute) + ":" + sha256(tensor->bytes());
  }
  return to_text(attribute);
}

std::string storage_text(const Plan& plan, ValueId id, const TensorType& type) {
  const auto found = plan.storage.find(id);
  if (found == plan.storage.end()) return "dense";
  return fmt::format("{} fill {}", to_text(found->second, type.dims()), found->second.halo_fill);
}

}  // namespace

std::string group_text(const Graph& graph, const Plan& plan, const Group& group) {
  std::map<ValueId, int> number;
  const auto number_of = [&](ValueId id) {
    return number.emplace(id, static_cast<int>(number.size())).first->second;
  };
  std::string text = "group " + group.anchor + "\n";
  for (const ValueId id : group.inputs) {
    const Value& value = graph.value(id);
    text += fmt::format("in %{} {} ", number_of(id), to_text(value.type));
    if (is_literal(value)) {
      text += "literal " + sha256(value.constant->bytes());
    } else {
      text += value.constant ? "constant" : storage_text(plan, id, value.type);
    }
    text += '\n';
  }
  for (const NodeId id : group.nodes) {
    const Node& node = graph.node(id);
    text += fmt::format("{} {}.{}@{} (", id == group.anchor_node ? "anchor" : "node", node.domain,
                        node.type, node.opset);
    for (const ValueId input : node.inputs) {
      text += input == kNone ? "none," : fmt::format("%{},", number_of(input));
    }
    text += ") ->";
    for (const ValueId output : node.outputs) {
      if (output == kNone) continue;
      text += fmt::format(" %{}:{}", number_of(output), to_text(graph.value(output).type));
    }
    for (const auto& [name, attribute] : node.attributes) {
      text += fmt::format(" {}={}", name, attribute_text(attribute));
    }
    text += '\n';
  }
  for (const ValueId id : group.outputs) {
    text +=
        fmt::format("out %{} {}\n", number_of(id), storage_text(plan, id, graph.value(id).type));
  }
  return text;
}

}  // namespace frit

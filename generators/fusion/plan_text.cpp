#include "generators/fusion/plan_text.h"

#include <fmt/format.h>

namespace frit {
namespace {

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (code < 0x20 || code == 0x7f) {
      text += fmt::format("\\x{:02x}", code);
    } else {
      text += c;
    }
  }
  return text + '"';
}

std::string value_line(const Plan& plan, const Graph& graph, ValueId value) {
  const Value& v = graph.value(value);
  const auto storage = plan.storage.find(value);
  std::string text = fmt::format("{} {}", quoted(v.name), to_text(v.type));
  if (storage == plan.storage.end()) return text;
  text += " stored " + to_text(storage->second, v.type.dims());
  const auto alias = plan.alias_of.find(value);
  if (alias != plan.alias_of.end()) text += " in " + quoted(graph.value(alias->second).name);
  return text;
}

std::string group_text(const Plan& plan, const Graph& graph, const Group& group) {
  const bool alias = group.kind == GroupKind::kAlias;
  std::string text =
      fmt::format("group {} {} {}\n", group.id, alias ? "alias" : "kernel", group.anchor);
  for (const NodeId id : group.nodes) {
    const Node& node = graph.node(id);
    text += fmt::format("  node {} {}{}\n", quoted(node.name), node.type,
                        id == group.anchor_node ? " anchor" : "");
  }
  for (const ValueId output : group.outputs) {
    text += "  out " + value_line(plan, graph, output) + "\n";
  }
  return text;
}

}  // namespace

std::string origin_text(const Node& node) {
  if (node.origins.empty()) return node.name;
  return fmt::format("{}", fmt::join(node.origins, " + "));
}

std::string to_text(const Plan& plan, const Graph& graph) {
  std::string text = fmt::format("plan 1\n# {}\n", quoted(graph.name));
  for (const ValueId input : graph.inputs) text += "in " + value_line(plan, graph, input) + "\n";
  for (const Group& group : plan.groups) text += group_text(plan, graph, group);
  return text;
}

}  // namespace frit

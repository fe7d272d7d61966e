// cse: nodes that compute the same from the same become one; so do small equal constants.
//
// Equal means: operator, opset, attributes bit for bit, inputs. Constants are immutable, so sharing
// one is safe; passes that change a constant make a private copy. Operators with regions stay.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "generators/passes/passes.h"
#include "generators/passes/rewrite.h"

namespace frit {
namespace {

// Bigger constants are seldom equal, and comparing all weights costs more than it saves.
constexpr std::int64_t kMostConstantBytes = 4096;

void append_bytes(std::string& key, const void* data, std::size_t size) {
  key.append(static_cast<const char*>(data), size);
}

void append_number(std::string& key, std::int64_t number) {
  append_bytes(key, &number, sizeof(number));
}

void append_text(std::string& key, const std::string& text) {
  append_number(key, static_cast<std::int64_t>(text.size()));
  key += text;
}

void append_tensor(std::string& key, const Tensor& tensor) {
  append_number(key, static_cast<std::int64_t>(tensor.dtype()));
  append_number(key, tensor.rank());
  for (const std::int64_t extent : tensor.dims()) append_number(key, extent);
  append_bytes(key, tensor.bytes().data(), tensor.bytes().size());
}

void append_attribute(std::string& key, const Attribute& attribute) {
  append_number(key, static_cast<std::int64_t>(attribute.index()));
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::string>) {
          append_text(key, value);
        } else if constexpr (std::is_same_v<T, Tensor>) {
          append_tensor(key, value);
        } else if constexpr (std::is_arithmetic_v<T>) {
          append_bytes(key, &value, sizeof(value));
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          append_number(key, static_cast<std::int64_t>(value.size()));
          for (const std::string& text : value) append_text(key, text);
        } else {
          append_number(key, static_cast<std::int64_t>(value.size()));
          append_bytes(key, value.data(), value.size() * sizeof(value[0]));
        }
      },
      attribute);
}

std::string key_of(const Node& node) {
  std::string key;
  append_text(key, node.domain);
  append_text(key, node.type);
  append_number(key, node.opset);
  append_number(key, static_cast<std::int64_t>(node.outputs.size()));
  append_number(key, static_cast<std::int64_t>(node.inputs.size()));
  for (const ValueId input : node.inputs) append_number(key, input);
  for (const auto& [name, attribute] : node.attributes) {
    append_text(key, name);
    append_attribute(key, attribute);
  }
  return key;
}

// Not told as changes: no node of the model is affected.
void merge_constants(Graph& graph) {
  std::map<std::string, ValueId> first;
  std::map<ValueId, ValueId> same;
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    const Value& value = graph.value(id);
    if (!value.constant || value.producer != kNone || value.type.bytes() > kMostConstantBytes) {
      continue;
    }
    std::string key;
    append_tensor(key, *value.constant);
    const auto [known, fresh] = first.emplace(std::move(key), id);
    if (!fresh) same.emplace(id, known->second);
  }
  for (Node& node : graph.nodes()) {
    for (ValueId& input : node.inputs) {
      if (const auto found = same.find(input); found != same.end()) input = found->second;
    }
  }
}

// Whether every output of `later` can become that of `earlier`.
bool can_merge(const Graph& graph, const Node& earlier, const Node& later) {
  for (std::size_t i = 0; i < later.outputs.size(); ++i) {
    if ((earlier.outputs[i] == kNone) != (later.outputs[i] == kNone)) return false;
    if (later.outputs[i] != kNone && graph.is_output(later.outputs[i]) &&
        graph.is_output(earlier.outputs[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<PassChanges> merge_equal_nodes(Graph& graph) {
  merge_constants(graph);
  PassChanges changes;
  std::vector<NodeId> removed;
  std::map<std::string, NodeId> first;
  for (const NodeId id : node_ids(graph)) {
    const Node& later = graph.node(id);
    if (!later.regions.empty()) continue;
    const auto [known, fresh] = first.emplace(key_of(later), id);
    if (fresh) continue;
    const NodeId earlier_id = known->second;
    if (!can_merge(graph, graph.node(earlier_id), later)) continue;
    for (std::size_t i = 0; i < later.outputs.size(); ++i) {
      if (later.outputs[i] == kNone) continue;
      replace_value(graph, later.outputs[i], graph.node(earlier_id).outputs[i]);
    }
    changes.push_back(fmt::format("'{}' computes the same as '{}' and is removed", later.name,
                                  graph.node(earlier_id).name));
    graph.node(earlier_id).origins = merged_origins(graph, {earlier_id, id});
    removed.push_back(id);
  }
  remove_nodes(graph, removed);
  return changes;
}

}  // namespace frit

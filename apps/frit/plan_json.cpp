#include "apps/frit/plan_json.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace frit {

namespace {

nlohmann::json value_json(const Graph& graph, const Plan& plan, ValueId id) {
  const Value& value = graph.value(id);
  nlohmann::json entry = {{"name", value.name}, {"type", to_text(value.type)}};
  if (const auto storage = plan.storage.find(id); storage != plan.storage.end()) {
    entry["storage"] = to_text(storage->second, value.type.dims());
  }
  if (value.constant) entry["constant"] = true;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    if (graph.outputs[i] == id) entry["model_outputs"].push_back(graph.output_name(i));
  }
  return entry;
}

nlohmann::json group_json(const Graph& graph, const Plan& plan, const Group& group) {
  nlohmann::json nodes = nlohmann::json::array(), origins = nlohmann::json::array();
  for (const NodeId id : group.nodes) {
    const Node& node = graph.node(id);
    nodes.push_back({{"name", node.name}, {"type", node.type}});
    for (const std::string& origin : node.origins) origins.push_back(origin);
  }
  nlohmann::json inputs = nlohmann::json::array(), outputs = nlohmann::json::array();
  for (const ValueId id : group.inputs) inputs.push_back(value_json(graph, plan, id));
  for (const ValueId id : group.outputs) outputs.push_back(value_json(graph, plan, id));
  return {{"id", group.id},
          {"name", group.name},
          {"kind", group.kind == GroupKind::kKernel ? "kernel" : "alias"},
          {"anchor", group.anchor},
          {"nodes", std::move(nodes)},
          {"onnx_nodes", std::move(origins)},
          {"inputs", std::move(inputs)},
          {"outputs", std::move(outputs)}};
}

}  // namespace

nlohmann::json to_json(const Graph& graph, const EdgeVerdict& edge) {
  nlohmann::json terms = nlohmann::json::object();
  for (const CostTerm& term : edge.terms) terms[term.name] = term.value;
  return {{"producer", graph.node(edge.producer).name},
          {"consumer", graph.node(edge.consumer).name},
          {"value", graph.value(edge.value).name},
          {"fused", edge.fused},
          {"code", edge.code},
          {"sentence", edge.sentence},
          {"terms", std::move(terms)}};
}

nlohmann::json plan_json(const Graph& graph, const Plan& plan) {
  nlohmann::json groups = nlohmann::json::array(), edges = nlohmann::json::array();
  for (const Group& group : plan.groups) groups.push_back(group_json(graph, plan, group));
  for (const EdgeVerdict& edge : plan.edges) edges.push_back(to_json(graph, edge));
  return {{"schema", "frit.plan/1"}, {"groups", std::move(groups)}, {"edges", std::move(edges)}};
}

}  // namespace frit

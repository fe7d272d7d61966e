// <model>.report.json: what was fused and why, under which schedules, and where values lie.
//
// Schema "frit.report/1". Nothing in it depends on time, folder or host.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "generators/emit/hash.h"
#include "generators/emit/target.h"
#include "generators/package/model.h"
#include "ops/base/printable.h"

namespace frit {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPictureColumns = 100;

/// Inputs or outputs; `names` are those in C.
Json tensors(const PackageModel& model, bool are_outputs, const std::vector<std::string>& names) {
  const std::vector<ValueId>& values = are_outputs ? model.graph.outputs : model.graph.inputs;
  Json list = Json::array();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& value = model.graph.value(values[i]);
    list.push_back({{"name", are_outputs ? model.graph.output_name(i) : value.name},
                    {"c_name", names[i]},
                    {"dtype", name_of(value.type.dtype)},
                    {"shape", value.type.dims()},
                    {"axis_order", "row-major"},
                    {"bytes", value.type.bytes()}});
  }
  return list;
}

Json node_json(const Node& node) {
  return {{"type", node.type}, {"name", node.name}, {"onnx_nodes", node.origins}};
}

Json value_names(const Graph& graph, const std::vector<ValueId>& values) {
  Json list = Json::array();
  for (const ValueId id : values) list.push_back(graph.value(id).name);
  return list;
}

/// The kernels of the lower CPU levels that stand for `kernel`.
Json lower_kernels(const PackageModel& model, const Kernel& kernel) {
  Json list = Json::array();
  const auto k = static_cast<std::size_t>(&kernel - model.compiled.kernels.data());
  for (const CompiledModel::Level& lower : model.compiled.lower_levels) {
    const Kernel& other = lower.kernels.at(k);
    list.push_back(
        {{"level", lower.level.name},
         {"symbol", other.symbol},
         {"schedule", {{"name", other.schedule_name}, {"sha256", sha256(other.schedule_text)}}},
         {"temporary_bytes", other.temporary_bytes},
         {"worker_bytes", other.worker_bytes}});
  }
  return list;
}

Json cpu_levels(const PackageModel& model) {
  Json list = Json::array();
  for (const CpuLevel& level : model.levels()) {
    list.push_back(
        {{"name", level.name}, {"number", level.number}, {"target", target_text(level.target)}});
  }
  return list;
}

Json groups(const PackageModel& model) {
  Json list = Json::array();
  for (const Group& group : model.plan.groups) {
    Json nodes = Json::array();
    Json origins = Json::array();
    for (const NodeId id : group.nodes) {
      const Node& node = model.graph.node(id);
      nodes.push_back(node_json(node));
      for (const std::string& origin : node.origins) origins.push_back(origin);
    }
    Json json = {{"id", group.id},
                 {"name", group.name},
                 {"kind", group.kind == GroupKind::kKernel ? "kernel" : "alias"},
                 {"anchor", group.anchor},
                 {"onnx_nodes", origins},
                 {"nodes", nodes},
                 {"inputs", value_names(model.graph, group.inputs)},
                 {"outputs", value_names(model.graph, group.outputs)}};
    for (const Kernel& kernel : model.compiled.kernels) {
      if (kernel.group != group.id) continue;
      json["symbol"] = kernel.symbol;
      json["schedule"] = {{"name", kernel.schedule_name}, {"sha256", sha256(kernel.schedule_text)}};
      json["temporary_bytes"] = kernel.temporary_bytes;
      json["worker_bytes"] = kernel.worker_bytes;
      if (const Json lower = lower_kernels(model, kernel); !lower.empty()) {
        json["lower_levels"] = lower;
      }
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json edges(const PackageModel& model) {
  Json list = Json::array();
  for (const EdgeVerdict& edge : model.plan.edges) {
    Json terms = Json::object();
    for (const CostTerm& term : edge.terms) terms[term.name] = term.value;
    const auto name = [&](NodeId id) {
      return id == kNone ? std::string() : model.graph.node(id).name;
    };
    list.push_back({{"producer", name(edge.producer)},
                    {"consumer", name(edge.consumer)},
                    {"value", edge.value == kNone ? "" : model.graph.value(edge.value).name},
                    {"fused", edge.fused},
                    {"code", edge.code},
                    {"sentence", edge.sentence},
                    {"terms", terms}});
  }
  return list;
}

const char* place_name(Place::Kind kind) {
  switch (kind) {
    case Place::Kind::kArena:
      return "arena";
    case Place::Kind::kInput:
      return "input";
    case Place::Kind::kOutput:
      return "output";
    case Place::Kind::kConstant:
      return "constant";
  }
  return "";
}

Json storage(const PackageModel& model) {
  Json list = Json::array();
  for (const auto& [id, storage] : model.plan.storage) {
    const auto place = model.memory.places.find(id);
    if (place == model.memory.places.end()) continue;
    const Value& value = model.graph.value(id);
    Json json = {{"value", value.name},
                 {"type", to_text(value.type)},
                 {"layout", to_text(storage, value.type.dims())},
                 {"place", place_name(place->second.kind)},
                 {"offset", place->second.offset}};
    const auto alias = model.plan.alias_of.find(id);
    if (alias != model.plan.alias_of.end()) {
      json["alias_of"] = model.graph.value(alias->second).name;
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json memory(const PackageModel& model) {
  const MemoryPlan& plan = model.memory;
  Json ranges = Json::array();
  for (std::size_t i = 0; i < plan.ranges.size(); ++i) {
    ranges.push_back({{"name", plan.ranges[i].name},
                      {"offset", plan.arena.offsets[i]},
                      {"bytes", plan.ranges[i].bytes},
                      {"first_step", plan.ranges[i].first_step},
                      {"last_step", plan.ranges[i].last_step}});
  }
  Json in_place = Json::array();
  for (const auto& [input, output] : plan.in_place) {
    in_place.push_back({model.graph.value(input).name, model.graph.value(output).name});
  }
  std::vector<std::string> picture;
  std::string line;
  for (const char c : arena_picture(plan.ranges, plan.arena, kPictureColumns)) {
    if (c != '\n') line += c;
    if (c == '\n') picture.push_back(std::exchange(line, ""));
  }
  return {{"planned_bytes", plan.arena.peak_bytes},
          {"lower_bound_bytes", plan.arena.lower_bound_bytes},
          {"worker_slab_bytes", plan.worker_slab_bytes},
          {"alignment", kArenaAlignment},
          {"in_place", in_place},
          {"ranges", ranges},
          {"picture", picture}};
}

Json numerics(const std::string& mode) {
  const std::string slack = mode == "fast" ? "1e-4" : "1e-6";
  return {{"contract", "frit.numerics/1"},
          {"mode", mode},
          {"accumulation", "float32 for float32, float16 and bfloat16; int32 for int8"},
          {"group_tolerance",
           "|y - ref| <= 4 * 2^-24 * sqrt(n) * S for a reduction of n terms, S "
           "the sum of their absolute values"},
          {"model_tolerance", "|y - ref| <= 2 * max(|ORT - ref|, |naive32 - ref|) + " + slack +
                                  " * max|ref|, with the double reference of the whole graph"},
          {"functions", "exp, log, tanh, sigmoid, erf, sqrt and division within 4 ulp"},
          {"not_a_number",
           "propagates through Relu, Clip, Max, Min, MaxPool, Softmax, exp, tanh, "
           "sigmoid and erf"},
          {"determinism",
           "the same package on the same CPU model gives the same bits, whatever "
           "the thread count"}};
}

Json weights(const PackageModel& model) {
  if (!model.weights) return {{"kind", "inline"}};
  const frit_weights_header& header = *model.weights;
  return {{"kind", "external"},
          {"file", model.c_name + ".weights"},
          {"bytes", header.header_bytes + header.content_bytes},
          {"format", header.format},
          {"identity", fmt::format("{:016x}{:016x}", header.identity[0], header.identity[1])},
          {"checksum", fmt::format("{:016x}", header.checksum)}};
}

}  // namespace

std::string report_text(const PackageModel& model) {
  Json report = {{"schema", "frit.report/1"},
                 {"tool", {{"name", "frit"}, {"version", frit_version()}}},
                 {"model",
                  {{"name", model.options.name},
                   {"c_name", model.c_name},
                   {"sha256", model.options.model_sha256}}},
                 {"target", target_text(model.options.target)},
                 {"cpu_levels", cpu_levels(model)},
                 {"threads", model.options.threads},
                 {"debug", model.options.debug}};
  for (const auto& [key, text] : model.options.report_notes) report[key] = text;
  report["inputs"] = tensors(model, false, model.input_names);
  report["outputs"] = tensors(model, true, model.output_names);
  report["groups"] = groups(model);
  report["edges"] = edges(model);
  report["storage"] = storage(model);
  report["memory"] = memory(model);
  report["constants"] = {{"bytes", model.memory.constant_bytes},
                         {"count", model.memory.constants.size()}};
  report["weights"] = weights(model);
  Json warnings = Json::array();
  for (const Diagnostic& warning : model.compiled.warnings) {
    warnings.push_back({{"code", warning.code}, {"text", warning.message}});
  }
  report["warnings"] = std::move(warnings);
  report["numerics"] = numerics(model.options.numerics);
  // Names come from the model and may not be UTF-8: such bytes become U+FFFD.
  return printable_json(report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace)) +
         "\n";
}

}  // namespace frit

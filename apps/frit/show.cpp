// frit show: a stage of the way as text.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/frit/commands.h"
#include "apps/frit/group_view.h"
#include "apps/frit/interrupt.h"
#include "apps/frit/model_options.h"
#include "generators/memory/memory_plan.h"

namespace frit {

namespace {

constexpr int kPictureColumns = 100;

ExitCode print(const Options& options, Console& console, const std::string& text) {
  if (console.json()) {
    console.document({{"schema", "frit.show/1"}, {"what", options.command.what}, {"text", text}});
  } else {
    console.answer(text);
  }
  return ExitCode::kSuccess;
}

std::string ops_text(const Graph& graph) {
  std::map<std::string, int> counts;
  for (const Node& node : graph.nodes()) {
    ++counts[(node.domain.empty() ? "" : node.domain + "::") + node.type];
  }
  std::string text;
  for (const auto& [type, count] : counts) text += fmt::format("{:6} {}\n", count, type);
  return text;
}

std::string passes_text(const std::vector<PassReport>& reports) {
  std::string text = "Passes, in order:\n";
  for (const Pass& pass : all_passes()) {
    text += fmt::format("  {:<26} {}{}\n", pass.name, pass.what, pass.required ? " (always)" : "");
  }
  return text + "\n" + to_text(reports);
}

ExitCode show_metadata(const Options& options, Console& console, const Metadata& metadata) {
  const std::string& key = options.command.key;
  if (console.json()) {
    nlohmann::json values = nlohmann::json::object();
    for (const auto& [name, value] : metadata) {
      if (key.empty() || key == name) values[name] = value;
    }
    console.document({{"schema", "frit.metadata/1"}, {"metadata", std::move(values)}});
    return ExitCode::kSuccess;
  }
  std::string keys;
  for (const auto& [name, value] : metadata) {
    if (name == key) {
      console.verbatim(value);
      return ExitCode::kSuccess;
    }
    keys += name + "\n";
  }
  if (key.empty()) {
    console.answer(keys);
    return ExitCode::kSuccess;
  }
  return console.reject(
      error("onnx-metadata", fmt::format("the model has no metadata '{}'; frit show metadata "
                                         "{} lists its keys",
                                         key, options.model.model)));
}

ExitCode show_memory(const Options& options, Console& console, const BuildOptions& build) {
  const InterruptScope scope;
  auto built = build_model(build);
  if (!built) return console.reject(built.error());
  console.warn(built->compiled.warnings);
  const MemoryPlan memory = plan_memory(built->planned.graph, built->planned.plan, built->compiled);
  const std::string text =
      fmt::format("arena {} bytes, lower bound {} bytes; constants {} bytes\n{}",
                  memory.arena.peak_bytes, memory.arena.lower_bound_bytes, memory.constant_bytes,
                  arena_picture(memory.ranges, memory.arena, kPictureColumns));
  return print(options, console, text);
}

ExitCode show_groups(const Options& options, Console& console, const PlannedModel& planned,
                     GroupView view, const EmitOptions& emit) {
  const InterruptScope scope;
  auto texts = view_groups(planned, options.model.group, view, emit);
  if (!texts) return console.reject(texts.error());
  console.warn(texts->warnings);
  if (console.json()) {
    nlohmann::json list = nlohmann::json::array();
    for (const GroupText& entry : texts->groups) {
      list.push_back({{"group", entry.group}, {"schedule", entry.schedule}, {"text", entry.text}});
    }
    console.document(
        {{"schema", "frit.show/1"}, {"what", options.command.what}, {"groups", std::move(list)}});
    return ExitCode::kSuccess;
  }
  for (const GroupText& entry : texts->groups) {
    // One group alone: nothing but its text, so that a schedule can be saved and edited.
    if (options.model.group.empty()) {
      console.answer(fmt::format("# group {}, schedule {}", entry.group, entry.schedule));
    }
    console.answer(entry.text);
  }
  return ExitCode::kSuccess;
}

}  // namespace

ExitCode command_show(const Options& options, Console& console) {
  static const std::map<std::string, GroupView> kViews = {{"stages", GroupView::kStages},
                                                          {"schedule", GroupView::kSchedule},
                                                          {"nest", GroupView::kNest},
                                                          {"stmt", GroupView::kStmt},
                                                          {"asm", GroupView::kAsm}};
  const std::string& what = options.command.what;
  if (!options.model.group.empty() && !kViews.contains(what)) {
    return console.reject(error("cli-group", "--group " + options.model.group +
                                                 " chooses a group, but 'show " + what +
                                                 "' shows the whole model; leave it out"));
  }
  auto build = build_options(options, console);
  if (!build) return console.reject(build.error());
  if (what == "memory") return show_memory(options, console, *build);
  if (what == "graph" || what == "ops") {
    auto graph = import_model(build->model, build->import);
    if (!graph) return console.reject(graph.error());
    return print(options, console, what == "graph" ? to_text(*graph) : ops_text(*graph));
  }
  if (what == "metadata") {
    auto metadata = read_metadata(build->model);
    if (!metadata) return console.reject(metadata.error());
    return show_metadata(options, console, *metadata);
  }
  if (what == "passes") {
    auto graph = import_model(build->model, build->import);
    if (!graph) return console.reject(graph.error());
    auto reports = run_passes(*graph, build->passes);
    if (!reports) return console.reject(reports.error());
    return print(options, console, passes_text(*reports));
  }
  auto planned = plan_model(*build);
  if (!planned) return console.reject(planned.error());
  return show_groups(options, console, *planned, kViews.at(what), build->emit);
}

}  // namespace frit

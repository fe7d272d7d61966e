// frit verify: a compiled model against the double reference, as a whole and kernel by kernel.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/frit/commands.h"
#include "apps/frit/inputs.h"
#include "apps/frit/interrupt.h"
#include "apps/frit/model_options.h"
#include "apps/frit/run_package.h"
#include "generators/verify/verify_model.h"

namespace frit {

namespace {

/// One build judged, at one CPU level: the fusion level asked for, or none.
struct Judged {
  std::string fusion;
  std::string cpu_level;  ///< empty where the model has one target
  ModelVerdict verdict;
};

/// The highest CPU level first, or the one target.
std::vector<CompiledModel> each_level(const CompiledModel& model) {
  std::vector<CompiledModel> all = {model};
  for (std::size_t l = model.lower_levels.size(); l-- > 0;) {
    all.push_back(at_lower_level(model, l));
  }
  return all;
}

std::vector<DataKind> data_kinds(const std::vector<std::string>& names) {
  if (names.empty()) return {DataKind::kRandom, DataKind::kZeros, DataKind::kSpecial};
  std::vector<DataKind> kinds;
  for (const std::string& name : names) {
    if (name == name_of(DataKind::kRandom)) kinds.push_back(DataKind::kRandom);
    for (const DataKind kind : corner_kinds()) {
      if (name == name_of(kind)) kinds.push_back(kind);
    }
  }
  return kinds;
}

nlohmann::json comparison_json(const ValueVerdict& value) {
  const Comparison& c = value.comparison;
  return {{"name", value.name},
          {"passed", c.passed},
          {"fault", c.fault},
          {"elements", c.elements},
          {"mismatches", c.mismatches},
          {"worst_index", c.worst_index},
          {"worst_value", c.worst_value},
          {"worst_reference", c.worst_reference},
          {"worst_tolerance", c.worst_tolerance},
          {"worst_ratio", c.worst_ratio},
          {"l1", c.l1},
          {"linf", c.linf},
          {"cosine", c.cosine}};
}

nlohmann::json run_json(const RunVerdict& run) {
  nlohmann::json outputs = nlohmann::json::array(), groups = nlohmann::json::array();
  for (const ValueVerdict& value : run.outputs) outputs.push_back(comparison_json(value));
  for (const GroupVerdict& group : run.groups) {
    nlohmann::json values = nlohmann::json::array();
    for (const ValueVerdict& value : group.outputs) values.push_back(comparison_json(value));
    groups.push_back({{"group", group.name},
                      {"onnx_nodes", group.origins},
                      {"passed", group.passed()},
                      {"outputs", std::move(values)}});
  }
  return {{"data", run.data},
          {"passed", run.passed()},
          {"outputs", std::move(outputs)},
          {"groups", std::move(groups)}};
}

void print(const Options& options, Console& console, const std::vector<Judged>& all, bool passed) {
  if (!console.json()) {
    std::string text;
    for (const Judged& judged : all) {
      const std::string& cpu = judged.cpu_level;
      text += fmt::format("fusion {}{}\n", judged.fusion, cpu.empty() ? "" : ", CPU level " + cpu) +
              to_text(judged.verdict, options.global.verbosity > 0);
      if (!text.ends_with('\n')) text += '\n';
    }
    console.answer(text + (passed ? "verified" : "wrong"));
    return;
  }
  nlohmann::json builds = nlohmann::json::array();
  for (const Judged& judged : all) {
    nlohmann::json runs = nlohmann::json::array();
    for (const RunVerdict& run : judged.verdict.runs) runs.push_back(run_json(run));
    builds.push_back(
        {{"fusion", judged.fusion}, {"cpu_level", judged.cpu_level}, {"runs", std::move(runs)}});
  }
  console.document({{"schema", "frit.verify/1"},
                    {"passed", passed},
                    {"builds", std::move(builds)},
                    {"repro", reproduce_line(options)}});
}

}  // namespace

ExitCode command_verify(const Options& options, Console& console) {
  auto build = build_options(options, console);
  if (!build) return console.reject(build.error());
  std::vector<std::pair<std::string, FusionLevel>> levels = {
      {options.model.fusion, build->plan.level}};
  if (options.command.fusions && build->plan.level != FusionLevel::kNone) {
    levels.emplace_back("none", FusionLevel::kNone);
  }
  const InterruptScope scope;
  std::vector<Judged> all;
  bool passed = true;
  for (const auto& [name, level] : levels) {
    build->plan.level = level;
    if (level == FusionLevel::kNone) build->plan.fuse.clear();
    auto built = build_to_execute(*build, MemoryUse::kVerify);
    if (!built) return console.reject(built.error());
    console.warn(built->compiled.warnings);
    VerifyOptions verify;
    verify.groups = options.command.groups;
    verify.slack = options.model.numerics == "fast" ? 1e-4 : 1e-6;
    verify.kinds = data_kinds(options.command.data);
    auto inputs = make_named_inputs(built->planned.graph, options.command.inputs);
    if (!inputs) return console.reject(inputs.error());
    verify.inputs = std::move(*inputs);
    for (const CompiledModel& model : each_level(built->compiled)) {
      auto package = load_built(options, *build, *built, model.level.number);
      if (!package) return console.reject(package.error());
      verify.run_whole = [&](const std::vector<Tensor>& values) { return package->run(values); };
      auto verdict = verify_model(built->planned.imported, built->planned.graph,
                                  built->planned.plan, model, verify);
      if (!verdict) return console.reject(verdict.error());
      passed = passed && verdict->passed();
      all.push_back({name, model.level.name, std::move(*verdict)});
    }
  }
  print(options, console, all, passed);
  return passed ? ExitCode::kSuccess : ExitCode::kNo;
}

}  // namespace frit

#include "generators/build.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "generators/fusion/plan_text.h"
#include "generators/log.h"
#include "ops/base/text_file.h"

namespace frit {
namespace {

tl::unexpected<Diagnostics> one(const Diagnostic& problem) {
  return tl::unexpected<Diagnostics>(Diagnostics{problem});
}

tl::expected<Plan, Diagnostics> chosen_plan(const Graph& graph, const BuildOptions& options) {
  if (!options.pinned_plan.empty()) {
    const Result<std::string> text = read_text_file(options.pinned_plan, "plan");
    if (!text) return one(text.error());
    return parse_plan(*text, options.pinned_plan, graph, options.plan);
  }
  auto plan = make_plan(graph, options.plan);
  if (!plan) return one(plan.error());
  return std::move(*plan);
}

void log_passes(const PlannedModel& planned) {
  std::size_t changes = 0;
  for (const PassReport& report : planned.passes) {
    changes += report.changes.size();
    for (const std::string& change : report.changes) {
      log_debug("passes", fmt::format("round {}, {}: {}", report.round, report.pass, change));
    }
  }
  log_info("passes",
           fmt::format("{} changes, {} nodes left", changes, planned.graph.nodes().size()));
}

void log_plan(const Plan& plan) {
  log_info("plan", fmt::format("{} groups", plan.groups.size()));
  for (const Group& group : plan.groups) {
    log_debug("plan",
              fmt::format("{}: {} of {} nodes", group.name, group.anchor, group.nodes.size()));
  }
}

void log_kernels(const Plan& plan, const CompiledModel& compiled) {
  std::map<int, std::string> names;
  for (const Group& group : plan.groups) names[group.id] = group.name;
  std::set<std::string> objects;
  for (const Kernel& kernel : compiled.kernels) {
    objects.insert(kernel.object_path);
    log_debug("emit", fmt::format("{}: {}, schedule {}, {}", names[kernel.group], kernel.symbol,
                                  kernel.schedule_name, kernel.object_path));
  }
  log_info("emit",
           fmt::format("{} kernels in {} objects", compiled.kernels.size(), objects.size()));
}

}  // namespace

tl::expected<PlannedModel, Diagnostics> plan_model(const BuildOptions& options) {
  auto imported = import_model(options.model, options.import);
  if (!imported) return tl::unexpected<Diagnostics>(std::move(imported).error());
  for (const std::string& name : options.extra_outputs) {
    const auto value = imported->value_named(name);
    if (!value) {
      return one(error("build-no-such-value",
                       "the model has no value '" + name + "'; frit show graph lists them"));
    }
    if (!imported->is_output(*value)) imported->outputs.push_back(*value);
  }
  log_info("import", fmt::format("{}: {} nodes, {} inputs, {} outputs", options.model.string(),
                                 imported->nodes().size(), imported->inputs.size(),
                                 imported->outputs.size()));
  PlannedModel planned;
  planned.imported = *imported;
  planned.graph = std::move(*imported);
  auto passes = run_passes(planned.graph, options.passes);
  if (!passes) return one(passes.error());
  planned.passes = std::move(*passes);
  log_passes(planned);
  insert_layouts(planned.graph);
  auto plan = chosen_plan(planned.graph, options);
  if (!plan) return tl::unexpected<Diagnostics>(std::move(plan).error());
  planned.plan = std::move(*plan);
  log_plan(planned.plan);
  return planned;
}

tl::expected<BuiltModel, Diagnostics> compile_model(PlannedModel planned,
                                                    const BuildOptions& options) {
  auto compiled = emit_model(planned.graph, planned.plan, options.emit);
  if (!compiled) return tl::unexpected<Diagnostics>(std::move(compiled).error());
  log_kernels(planned.plan, *compiled);
  const Diagnostics& of_import = planned.imported.warnings;
  compiled->warnings.insert(compiled->warnings.begin(), of_import.begin(), of_import.end());
  return BuiltModel{std::move(planned), std::move(*compiled)};
}

tl::expected<BuiltModel, Diagnostics> build_model(const BuildOptions& options) {
  auto planned = plan_model(options);
  if (!planned) return tl::unexpected<Diagnostics>(std::move(planned).error());
  return compile_model(std::move(*planned), options);
}

}  // namespace frit

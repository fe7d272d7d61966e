#include "generators/build.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "generators/fusion/plan_text.h"

namespace frit {
namespace {

tl::unexpected<Diagnostics> one(const Diagnostic& problem) {
  return tl::unexpected<Diagnostics>(Diagnostics{problem});
}

tl::expected<Plan, Diagnostics> chosen_plan(const Graph& graph, const BuildOptions& options) {
  if (!options.pinned_plan.empty()) {
    std::ifstream stream(options.pinned_plan, std::ios::binary);
    if (!stream)
      return one(error("build-read", "cannot read the plan '" + options.pinned_plan +
                                         "'; check the path given to --plan"));
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    return parse_plan(text, options.pinned_plan, graph, options.plan);
  }
  auto plan = make_plan(graph, options.plan);
  if (!plan) return one(plan.error());
  return std::move(*plan);
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
  PlannedModel planned;
  planned.imported = *imported;
  planned.graph = std::move(*imported);
  auto passes = run_passes(planned.graph, options.passes);
  if (!passes) return one(passes.error());
  planned.passes = std::move(*passes);
  insert_layouts(planned.graph);
  auto plan = chosen_plan(planned.graph, options);
  if (!plan) return tl::unexpected<Diagnostics>(std::move(plan).error());
  planned.plan = std::move(*plan);
  return planned;
}

tl::expected<BuiltModel, Diagnostics> compile_model(PlannedModel planned,
                                                    const BuildOptions& options) {
  auto compiled = emit_model(planned.graph, planned.plan, options.emit);
  if (!compiled) return tl::unexpected<Diagnostics>(std::move(compiled).error());
  return BuiltModel{std::move(planned), std::move(*compiled)};
}

tl::expected<BuiltModel, Diagnostics> build_model(const BuildOptions& options) {
  auto planned = plan_model(options);
  if (!planned) return tl::unexpected<Diagnostics>(std::move(planned).error());
  return compile_model(std::move(*planned), options);
}

}  // namespace frit

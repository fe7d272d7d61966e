// frit check: the diagnostics of a .sched file, alone or against a group of a model.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "apps/frit/commands.h"
#include "apps/frit/group_view.h"
#include "apps/frit/interrupt.h"
#include "apps/frit/model_options.h"
#include "apps/frit/sarif.h"
#include "generators/compose/compose.h"
#include "generators/emit/diagnostic_json.h"
#include "ops/base/text_file.h"
#include "schedules/check.h"

namespace frit {

namespace {

struct Checked {
  Diagnostics diagnostics;
  std::string nest;
  bool ok = true;
};

CheckGroup check_group(const PlannedModel& planned, const Group& group,
                       const EmitOptions& options) {
  CheckGroup checked;
  checked.anchor = group.anchor;
  checked.facts = group_facts(planned.graph, planned.plan, group);
  checked.facts.merge(target_facts(options.target, options.threads));
  checked.target = options.target;
  checked.compose =
      [&planned,
       &group](const std::vector<PackSpec>& packs) -> Result<std::shared_ptr<PipelineView>> {
    auto composed = compose(planned.graph, planned.plan, group, packs);
    if (!composed) return fail(composed.error());
    std::shared_ptr<Composed> owner = std::move(*composed);
    return std::shared_ptr<PipelineView>(owner, &owner->view);
  };
  return checked;
}

/// In a forked child, for a schedule may take Halide anywhere; comes back as JSON.
Result<std::string> check_in_child(const std::string& text, const Options& options,
                                   const PlannedModel& planned, const Group& group,
                                   const EmitOptions& emit) {
  const CheckGroup against = check_group(planned, group, emit);
  const CheckDepth depth = check_depth_named(options.command.level).value_or(CheckDepth::kLower);
  const CheckReport report = check_schedule(text, options.command.file, depth, &against);
  nlohmann::json list = nlohmann::json::array();
  for (const Diagnostic& diagnostic : report.diagnostics) {
    list.push_back(diagnostic_to_json(diagnostic));
  }
  return nlohmann::json{
      {"diagnostics", std::move(list)}, {"nest", report.nest}, {"ok", report.ok()}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

tl::expected<Checked, Diagnostics> check_against_group(const std::string& text,
                                                       const Options& options, Console& console) {
  const auto refuse = [](Diagnostic fault) {
    return tl::unexpected<Diagnostics>(Diagnostics{std::move(fault)});
  };
  auto build = build_options(options, console);
  if (!build) return tl::unexpected<Diagnostics>(build.error());
  auto planned = plan_model(*build);
  if (!planned) return tl::unexpected<Diagnostics>(planned.error());
  if (options.model.group.empty()) {
    return refuse(error("cli-group", "--model needs --group; frit plan lists the groups"));
  }
  auto group = find_group(planned->plan, options.model.group);
  if (!group) return refuse(group.error());
  const ForkJob job = {(*group)->name, [&] {
                         return check_in_child(text, options, *planned, **group, build->emit);
                       }};
  const InterruptScope scope;
  const auto outcomes = run_forked({job}, 1, build->emit.limits, {}, build->emit.stop);
  if (!outcomes.front()) return refuse(outcomes.front().error());
  const auto answer = nlohmann::json::parse(*outcomes.front());
  Checked checked;
  for (const auto& entry : answer.at("diagnostics")) {
    checked.diagnostics.push_back(diagnostic_from_json(entry));
  }
  checked.nest = answer.at("nest");
  checked.ok = answer.at("ok");
  return checked;
}

std::string text_form(const Checked& checked, const std::string& file) {
  std::string text;
  for (const Diagnostic& diagnostic : checked.diagnostics) text += to_text(diagnostic) + "\n";
  if (checked.ok) text += file + ": good\n";
  return text + checked.nest;
}

}  // namespace

ExitCode command_check(const Options& options, Console& console) {
  const std::string& file = options.command.file;
  const Result<std::string> read = read_text_file(file, "schedule");
  if (!read) return console.reject(read.error());
  const std::string& text = *read;
  Checked checked;
  if (options.model.model.empty()) {
    const CheckReport report = check_schedule(text, file, CheckDepth::kParse, nullptr);
    checked = {report.diagnostics, "", report.ok()};
  } else {
    auto against = check_against_group(text, options, console);
    if (!against) return console.reject(against.error());
    checked = std::move(*against);
  }
  if (options.command.format == "sarif") {
    console.document(sarif_document(checked.diagnostics, FRIT_VERSION));
  } else if (options.command.format == "json" || console.json()) {
    nlohmann::json list = nlohmann::json::array();
    for (const Diagnostic& diagnostic : checked.diagnostics) {
      list.push_back(diagnostic_to_json(diagnostic));
    }
    console.document({{"schema", "frit.check/1"},
                      {"ok", checked.ok},
                      {"diagnostics", std::move(list)},
                      {"nest", checked.nest}});
  } else {
    console.answer(text_form(checked, file));
  }
  return checked.ok ? ExitCode::kSuccess : ExitCode::kRejected;
}

}  // namespace frit

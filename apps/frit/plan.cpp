// frit plan: groups, layouts and verdicts as text; a check that they are the expected ones.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/frit/commands.h"
#include "apps/frit/model_options.h"
#include "apps/frit/plan_json.h"
#include "generators/fusion/plan_text.h"

namespace frit {

ExitCode command_plan(const Options& options, Console& console) {
  auto build = build_options(options, console);
  if (!build) return console.reject(build.error());
  auto planned = plan_model(*build);
  if (!planned) return console.reject(planned.error());
  const std::string text = to_text(planned->plan, planned->graph);

  if (!options.command.expect.empty()) {
    std::ifstream file(options.command.expect, std::ios::binary);
    const std::string expected((std::istreambuf_iterator<char>(file)), {});
    const Diagnostics differences =
        compare_plan(expected, options.command.expect, planned->graph, planned->plan);
    if (!differences.empty()) {
      console.reject(differences);
      return ExitCode::kNo;
    }
  }
  if (!options.command.out.empty()) {
    std::ofstream file(options.command.out, std::ios::binary);
    file << text;
    file.flush();
    if (!file) {
      return console.reject(
          error("run-write", fmt::format("cannot write '{}'", options.command.out)));
    }
    return ExitCode::kSuccess;
  }
  if (console.json()) {
    console.document(plan_json(planned->graph, planned->plan));
  } else {
    console.answer(text);
  }
  return ExitCode::kSuccess;
}

}  // namespace frit

// frit plan: groups, layouts and verdicts as text; a check that they are the expected ones.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "apps/frit/commands.h"
#include "apps/frit/check_path.h"
#include "apps/frit/model_options.h"
#include "apps/frit/plan_json.h"
#include "generators/fusion/plan_text.h"
#include "ops/base/output_file.h"
#include "ops/base/text_file.h"

namespace frit {

ExitCode command_plan(const Options& options, Console& console) {
  auto build = build_options(options, console);
  if (!build) return console.reject(build.error());
  auto planned = plan_model(*build);
  if (!planned) return console.reject(planned.error());
  const std::string text = to_text(planned->plan, planned->graph);

  if (!options.command.expect.empty()) {
    const Result<std::string> expected = read_text_file(options.command.expect, "plan");
    if (!expected) return console.reject(expected.error());
    const Diagnostics differences =
        compare_plan(*expected, options.command.expect, planned->graph, planned->plan);
    if (!differences.empty()) {
      console.reject(differences);
      return ExitCode::kNo;
    }
  }
  if (!options.command.out.empty()) {
    if (const Status other = check_not_input(options.command.out, options.model.model); !other) {
      return console.reject(other.error());
    }
    const std::string fault = write_whole(options.command.out, text);
    if (!fault.empty()) return console.reject(error("run-write", fault));
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

// frit explain: why each pair of nodes shares a kernel, or does not.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "apps/frit/commands.h"
#include "apps/frit/model_options.h"
#include "apps/frit/plan_json.h"
#include "generators/fusion/explain.h"

namespace frit {

ExitCode command_explain(const Options& options, Console& console) {
  auto build = build_options(options, console);
  if (!build) return console.reject(build.error());
  auto planned = plan_model(*build);
  if (!planned) return console.reject(planned.error());
  const std::string& pair = options.command.pair;
  if (pair.empty()) {
    if (console.json()) {
      console.document(plan_json(planned->graph, planned->plan));
    } else {
      console.answer(explain_all(planned->plan, planned->graph));
    }
    return ExitCode::kSuccess;
  }
  const std::size_t comma = pair.find(',');
  if (comma == std::string::npos) {
    return console.reject(
        error("cli-pair", fmt::format("'{}' is not two node names; write A,B", pair)));
  }
  auto text =
      explain_pair(planned->plan, planned->graph, pair.substr(0, comma), pair.substr(comma + 1));
  if (!text) return console.reject(text.error());
  if (console.json()) {
    console.document({{"schema", "frit.explain/1"}, {"pair", pair}, {"text", *text}});
  } else {
    console.answer(*text);
  }
  return ExitCode::kSuccess;
}

}  // namespace frit

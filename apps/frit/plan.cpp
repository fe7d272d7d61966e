// frit plan: groups, layouts and verdicts as text; a check that they are the expected ones.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "apps/frit/commands.h"
#include "apps/frit/model_options.h"
#include "apps/frit/plan_json.h"

namespace frit {

namespace {

/// The first line in which two texts differ, or nothing.
std::optional<Diagnostic> first_difference(const std::string& expected, const std::string& got,
                                           const std::string& file) {
  if (expected == got) return std::nullopt;
  std::istringstream expected_lines(expected), got_lines(got);
  std::string expected_line, got_line;
  for (int line = 1;; ++line) {
    const bool more_expected = static_cast<bool>(std::getline(expected_lines, expected_line));
    const bool more_got = static_cast<bool>(std::getline(got_lines, got_line));
    if (more_expected && more_got && expected_line == got_line) continue;
    Diagnostic difference = error("no-plan", "the plan differs from the expected one");
    difference.place = {file, line, 1, 1, more_expected ? expected_line : ""};
    difference.notes.push_back(more_got ? "the plan has: " + got_line : "the plan ends before it");
    return difference;
  }
}

}  // namespace

ExitCode command_plan(const Options& options, Console& console) {
  auto build = build_options(options, console);
  if (!build) return console.reject(build.error());
  auto planned = plan_model(*build);
  if (!planned) return console.reject(planned.error());
  const std::string text = to_text(planned->plan, planned->graph);

  if (!options.command.expect.empty()) {
    std::ifstream file(options.command.expect, std::ios::binary);
    const std::string expected((std::istreambuf_iterator<char>(file)), {});
    const auto difference = first_difference(expected, text, options.command.expect);
    if (difference) {
      console.reject(*difference);
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

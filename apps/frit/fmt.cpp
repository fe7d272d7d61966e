// frit fmt: the normal form of a .sched file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "apps/frit/commands.h"
#include "ops/base/output_file.h"
#include "ops/base/text_file.h"
#include "schedules/schedule.h"

namespace frit {

namespace {

/// Of the first line that differs, from 1.
int first_difference(const std::string& a, const std::string& b) {
  int line = 1;
  for (std::size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i) line += a[i] == '\n';
  return line;
}

}  // namespace

ExitCode command_fmt(const Options& options, Console& console) {
  const std::string& file = options.command.file;
  const Result<std::string> text = read_text_file(file, "schedule");
  if (!text) return console.reject(text.error());
  const auto schedule = parse_schedule(*text, file);
  if (!schedule) return console.reject(schedule.error());
  const std::string normal = print_schedule(*schedule);
  const bool is_normal = normal == *text;
  if (options.command.in_place && !is_normal) {
    const std::string fault = write_whole(file, normal);
    if (!fault.empty()) return console.reject(error("run-output", fault));
  }
  if (console.json()) {
    console.document(
        {{"schema", "frit.fmt/1"}, {"file", file}, {"normal", is_normal}, {"text", normal}});
  } else if (options.command.check) {
    if (!is_normal) {
      console.answer(fmt::format("{}:{}: not in normal form from this line on; frit fmt -i {}",
                                 file, first_difference(*text, normal), file));
    }
  } else if (!options.command.in_place) {
    console.verbatim(normal);
  }
  return options.command.check && !is_normal ? ExitCode::kNo : ExitCode::kSuccess;
}

}  // namespace frit

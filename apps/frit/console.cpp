#include "apps/frit/console.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "generators/emit/diagnostic_json.h"
#include "ops/base/output_file.h"
#include "ops/base/printable.h"

namespace frit {

namespace {

constexpr std::chrono::seconds kPlainInterval{5};

void write_line(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  if (text.empty() || text.back() != '\n') std::fputc('\n', stream);
}

void replace_first(std::string& text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
}

}  // namespace

Console::Console(const GlobalOptions& options) : options_(options) {}

bool Console::progress_rewrites() const {
  return options_.progress == "auto" && isatty(STDERR_FILENO) == 1;
}

std::string Console::coloured(std::string text, bool to_stderr) const {
  const int stream = to_stderr ? STDERR_FILENO : STDOUT_FILENO;
  const bool wanted =
      options_.color == "always" ||
      (options_.color == "auto" && isatty(stream) == 1 && std::getenv("NO_COLOR") == nullptr);
  if (!wanted) return text;
  replace_first(text, "error:", "\x1b[1;31merror:\x1b[0m");
  replace_first(text, "warning:", "\x1b[1;33mwarning:\x1b[0m");
  return text;
}

void Console::answer(std::string_view text) { verbatim(printable(text)); }

void Console::verbatim(std::string_view text) {
  write_line(stdout, text);
  finish_stdout();  // flushes; finish() tells of a fault
}

ExitCode Console::finish(ExitCode code) {
  const std::string fault = finish_stdout();
  if (fault.empty()) return code;
  write_line(stderr, coloured(to_text(error("run-output", fault)), true));
  return code == ExitCode::kSuccess || code == ExitCode::kNo ? ExitCode::kRun : code;
}

void Console::document(const nlohmann::json& document) {
  // Names from a model may hold any bytes: what is not UTF-8 is replaced, not refused.
  verbatim(printable_json(document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

void Console::note(std::string_view text) {
  if (!options_.quiet) write_line(stderr, printable(text));
}

void Console::progress(std::string_view text, bool last) {
  if (!progress_wanted()) return;
  if (!progress_rewrites()) {
    // Not a terminal: a line each few seconds and the last one.
    const auto now = std::chrono::steady_clock::now();
    if (!last && now - progress_last_ < kPlainInterval) return;
    progress_last_ = now;
    write_line(stderr, text);
    return;
  }
  std::fprintf(stderr, "\r\x1b[K%.*s%s", static_cast<int>(text.size()), text.data(),
               last ? "\n" : "");
  std::fflush(stderr);
  progress_line_open_ = !last;
}

ExitCode Console::reject(const Diagnostics& diagnostics) {
  if (progress_line_open_) std::fputc('\n', stderr);
  progress_line_open_ = false;
  ExitCode code = ExitCode::kRejected;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::kError) continue;
    code = exit_code_of(diagnostic.code);
    break;
  }
  if (options_.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Diagnostic& diagnostic : diagnostics) list.push_back(diagnostic_to_json(diagnostic));
    document({{"schema", "frit.error/1"},
              {"exit_code", static_cast<int>(code)},
              {"diagnostics", std::move(list)}});
  } else {
    for (const Diagnostic& diagnostic : diagnostics) {
      write_line(stderr, coloured(to_text(diagnostic), true));
    }
  }
  return code;
}

void Console::warn(const Diagnostics& diagnostics) {
  if (options_.quiet) return;
  for (const Diagnostic& diagnostic : diagnostics) {
    write_line(stderr, coloured(to_text(diagnostic), true));
  }
}

}  // namespace frit

#include "ops/base/diagnostic.h"

#include <fmt/format.h>

#include <utility>

#include "ops/base/printable.h"

namespace frit {

Diagnostic error(std::string code, std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  return diagnostic;
}

namespace {

std::string place_text(const SourcePlace& place) {
  if (place.file.empty()) return "";
  if (place.line == 0) return place.file + ": ";
  return fmt::format("{}:{}:{}: ", place.file, place.line, place.column);
}

const char* severity_text(Severity severity) {
  switch (severity) {
    case Severity::kNote: return "note";
    case Severity::kWarning: return "warning";
    case Severity::kError: return "error";
  }
  return "error";
}

// The source line and the caret under the fault, as UX.md shows them.
std::string caret_text(const SourcePlace& place) {
  if (place.source_line.empty() || place.line == 0) return "";
  const std::string gutter(5, ' ');
  std::string underline(static_cast<std::size_t>(std::max(place.column - 1, 0)), ' ');
  underline += '^';
  underline.append(static_cast<std::size_t>(std::max(place.length - 1, 0)), '~');
  return fmt::format("\n{:>5} | {}\n{} | {}", place.line, place.source_line, gutter, underline);
}

}  // namespace

std::string to_text(const Diagnostic& diagnostic) {
  std::string text = place_text(diagnostic.place);
  text += fmt::format("{}: {}", severity_text(diagnostic.severity), diagnostic.message);
  if (!diagnostic.code.empty()) text += fmt::format(" [{}]", diagnostic.code);
  text += caret_text(diagnostic.place);
  for (const std::string& note : diagnostic.notes) text += "\n  note: " + note;
  for (const FixIt& fix : diagnostic.fixes) {
    text += "\n  fix: " + fix.edit;
    if (!fix.remark.empty()) text += "   (" + fix.remark + ")";
  }
  return printable(text);
}

}  // namespace frit

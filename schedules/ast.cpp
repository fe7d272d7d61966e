#include "schedules/ast.h"

#include <utility>

namespace frit {

SourcePlace place_of(const ScheduleAst& ast, const Span& span) {
  SourcePlace place;
  place.file = ast.file;
  place.line = span.line;
  place.column = span.column;
  place.length = span.length;
  if (span.line > 0 && static_cast<std::size_t>(span.line) <= ast.lines.size()) {
    place.source_line = ast.lines[static_cast<std::size_t>(span.line) - 1];
  }
  return place;
}

Diagnostic error_at(const ScheduleAst& ast, const Span& span, std::string code,
                    std::string message) {
  Diagnostic diagnostic = error(std::move(code), std::move(message));
  diagnostic.place = place_of(ast, span);
  return diagnostic;
}

}  // namespace frit

#include "schedules/halide_errors.h"

#include <Halide.h>

#include <string>
#include <utility>

namespace frit {
namespace {

// Halide's texts end in a newline and may start with "Error: " or a source position.
std::string tidy(std::string text) {
  const std::string prefix = "Error: ";
  if (const std::size_t at = text.find(prefix); at != std::string::npos && at < 4) {
    text.erase(0, at + prefix.size());
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

Status halide_failed(const SourcePlace& place, const char* code, const char* what) {
  Diagnostic diagnostic = error(code, "Halide refuses: " + tidy(what));
  diagnostic.place = place;
  return fail(std::move(diagnostic));
}

}  // namespace

Status guard_halide(const SourcePlace& place, const std::function<void()>& work) {
  try {
    work();
  } catch (const Halide::InternalError& failure) {
    return halide_failed(place, "sched-halide-internal", failure.what());
  } catch (const Halide::Error& failure) {
    return halide_failed(place, "sched-halide", failure.what());
  }
  return {};
}

}  // namespace frit

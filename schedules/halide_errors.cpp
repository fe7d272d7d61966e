#include "schedules/halide_errors.h"

#include <Halide.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace frit {
namespace {

// Halide's texts end in a newline and may start with "Error: " or "Warning: ".
std::string tidy(std::string text) {
  for (const std::string prefix : {"Error: ", "Warning: "}) {
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// The first sentence of a text, and what comes after it, a note for each line.
std::string first_sentence(std::string text, std::vector<std::string>& notes) {
  const std::size_t end = std::min(text.find('\n'), text.find(". "));
  if (end == std::string::npos) return text;
  std::string rest = text.substr(end + (text[end] == '.' ? 2 : 1));
  text.resize(end);
  while (!rest.empty()) {
    const std::size_t line = std::min(rest.find('\n'), rest.size());
    notes.push_back(rest.substr(0, line));
    rest.erase(0, line + 1);
  }
  return text;
}

Status halide_failed(const SourcePlace& place, const char* code, const char* what) {
  Diagnostic diagnostic = error(code, "");
  diagnostic.message = "Halide refuses: " + first_sentence(tidy(what), diagnostic.notes);
  diagnostic.place = place;
  return fail(std::move(diagnostic));
}

Diagnostic from_warning(const SourcePlace& place, const char* message) {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::kWarning;
  diagnostic.code = "sched-halide";
  diagnostic.message = "Halide warns: " + first_sentence(tidy(message), diagnostic.notes);
  diagnostic.place = place;
  return diagnostic;
}

// While it lives, Halide's messages come here. error() must not return, so it throws as Halide
// would without a reporter.
class Reporter final : public Halide::CompileTimeErrorReporter {
 public:
  Reporter(const SourcePlace& place, Diagnostics& warnings) : place_(place), warnings_(warnings) {
    Halide::set_custom_compile_time_error_reporter(this);
  }
  ~Reporter() override { Halide::set_custom_compile_time_error_reporter(nullptr); }
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  void warning(const char* message) override {
    Diagnostic found = from_warning(place_, message);
    for (const Diagnostic& known : warnings_) {
      if (known.message == found.message) return;  // Halide says some things many times
    }
    warnings_.push_back(std::move(found));
  }
  [[noreturn]] void error(const char* message) override { throw Halide::CompileError(message); }

 private:
  const SourcePlace& place_;
  Diagnostics& warnings_;
};

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

Status guard_halide(const SourcePlace& place, Diagnostics& warnings,
                    const std::function<void()>& work) {
  const Reporter reporter(place, warnings);
  return guard_halide(place, work);
}

}  // namespace frit

#include "schedules/halide_errors.h"

#include <Halide.h>

#include <string>
#include <utility>

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

Status halide_failed(const SourcePlace& place, const char* code, const char* what) {
  Diagnostic diagnostic = error(code, "Halide refuses: " + tidy(what));
  diagnostic.place = place;
  return fail(std::move(diagnostic));
}

// A warning of Halide's. One about an assertion that must fail is a fault of the schedule: a tail
// or bound that makes the kernel touch memory outside of a buffer.
Diagnostic from_warning(const SourcePlace& place, const char* message) {
  const std::string text = tidy(message);
  Diagnostic diagnostic;
  diagnostic.place = place;
  diagnostic.severity = Severity::kWarning;
  diagnostic.code = "sched-halide";
  diagnostic.message = "Halide warns: " + text;
  if (text.find("guaranteed to fail") == std::string::npos) return diagnostic;
  diagnostic.severity = Severity::kError;
  diagnostic.code = "sched-bounds";
  const std::size_t quote = text.find('"');
  const std::size_t end = text.find_first_of(".\"", quote + 1);
  const std::string buffer = quote == std::string::npos || end == std::string::npos
                                 ? "a buffer"
                                 : "'" + text.substr(quote + 1, end - quote - 1) + "'";
  diagnostic.message = "the schedule makes the kernel touch " + buffer +
                       " outside of its extents; use GuardWithIf on the split that overhangs";
  diagnostic.notes.push_back("Halide: " + text);
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
      if (known.message == found.message) return;  // one for each buffer is enough
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

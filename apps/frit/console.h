// The one place that prints: answers on stdout, diagnostics and progress on stderr.
//
// With --json a command prints one document on stdout, whatever happens; a failed one is
// {"schema":"frit.error/1","exit_code":n,"diagnostics":[...]}.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "apps/frit/exit_code.h"
#include "apps/frit/options.h"
#include "ops/base/result.h"

namespace frit {

class Console {
 public:
  explicit Console(const GlobalOptions& options);

  bool json() const { return options_.json; }
  bool quiet() const { return options_.quiet; }
  bool progress_wanted() const { return options_.progress != "none" && !options_.quiet; }
  /// stderr is a terminal and --progress is not plain: lines may be rewritten.
  bool progress_rewrites() const;

  /// Text of the answer, names of a model spelled so that no terminal obeys them
  /// (ops/base/printable.h); a newline is added where it ends without one.
  void answer(std::string_view text);
  /// The same as it is: what is asked for as data.
  void verbatim(std::string_view text);
  /// The answer as JSON.
  void document(const nlohmann::json& document);
  /// A line of log on stderr, unless --quiet.
  void note(std::string_view text);
  /// One line of progress on stderr; a terminal's line is rewritten.
  void progress(std::string_view text, bool last);

  /// Prints the faults in the form asked for; returns the exit code that the first one means.
  ExitCode reject(const Diagnostics& diagnostics);
  ExitCode reject(const Diagnostic& diagnostic) { return reject(Diagnostics{diagnostic}); }
  /// Call it last. An answer that did not reach stdout is no success: says so on stderr.
  ExitCode finish(ExitCode code);
  /// Warnings and notes beside an answer: stderr.
  void warn(const Diagnostics& diagnostics);

 private:
  std::string coloured(std::string text, bool to_stderr) const;

  GlobalOptions options_;
  bool progress_line_open_ = false;
  std::chrono::steady_clock::time_point progress_last_ = std::chrono::steady_clock::now();
};

}  // namespace frit

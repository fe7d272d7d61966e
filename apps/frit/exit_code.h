// Exit codes of frit (doc/cli.md), and which of them a diagnostic means.
#pragma once

#include <string_view>

namespace frit {

enum class ExitCode : int {
  kSuccess = 0,
  kNo = 1,             ///< the answer is "no": mismatch, regression, nothing valid found
  kCommandLine = 2,    ///< command line wrong
  kRejected = 3,       ///< model, plan or schedule rejected
  kCompile = 4,        ///< compiling or linking failed
  kRun = 5,            ///< running failed or timed out, or a file could not be written
  kInternal = 70,      ///< a bug in frit
  kSkipped = 77,       ///< a device or tool is missing
  kInterrupted = 130,  ///< Ctrl-C
};

/// By a diagnostic's whole code where listed, else by its area, the part before the first '-':
/// "cli" 2; "emit", "cache", "kernel", "link", "package" 4 ("kernel-failed", "package-run"
/// and what could not be written, "cache-write" and "package-write", 5); "run" 5; "internal" 70;
/// "skip" 77; "interrupted" 130; every other ("onnx", "plan" …) 3.
ExitCode exit_code_of(std::string_view diagnostic_code);

}  // namespace frit

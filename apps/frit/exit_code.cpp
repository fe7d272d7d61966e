#include "apps/frit/exit_code.h"

#include <array>
#include <utility>

namespace frit {

ExitCode exit_code_of(std::string_view diagnostic_code) {
  static constexpr std::array<std::pair<std::string_view, ExitCode>, 18> kCodes = {{
      {"cli", ExitCode::kCommandLine},
      {"emit", ExitCode::kCompile},
      {"cache", ExitCode::kCompile},
      {"kernel-failed", ExitCode::kRun},
      {"kernel", ExitCode::kCompile},
      {"link", ExitCode::kCompile},
      {"package", ExitCode::kCompile},
      {"cache-write", ExitCode::kRun},
      {"package-write", ExitCode::kRun},
      {"package-run", ExitCode::kRun},
      {"package-load", ExitCode::kRun},
      {"package-input", ExitCode::kRejected},
      {"package-report", ExitCode::kRejected},
      {"package-level", ExitCode::kRejected},
      {"run", ExitCode::kRun},
      {"internal", ExitCode::kInternal},
      {"skip", ExitCode::kSkipped},
      {"interrupted", ExitCode::kInterrupted},
  }};
  const std::string_view area = diagnostic_code.substr(0, diagnostic_code.find('-'));
  ExitCode found = ExitCode::kRejected;
  for (const auto& [name, code] : kCodes) {
    if (name == diagnostic_code) return code;
    if (name == area) found = code;
  }
  return found;
}

}  // namespace frit

#include "apps/frit/exit_code.h"

#include <array>
#include <utility>

namespace frit {

ExitCode exit_code_of(std::string_view diagnostic_code) {
  static constexpr std::array<std::pair<std::string_view, ExitCode>, 11> kAreas = {{
      {"cli", ExitCode::kCommandLine},
      {"emit", ExitCode::kCompile},
      {"cache", ExitCode::kCompile},
      {"kernel-failed", ExitCode::kRun},
      {"kernel", ExitCode::kCompile},
      {"link", ExitCode::kCompile},
      {"package", ExitCode::kCompile},
      {"run", ExitCode::kRun},
      {"internal", ExitCode::kInternal},
      {"skip", ExitCode::kSkipped},
      {"interrupted", ExitCode::kInterrupted},
  }};
  const std::string_view area = diagnostic_code.substr(0, diagnostic_code.find('-'));
  for (const auto& [name, code] : kAreas) {
    if (name == area || name == diagnostic_code) return code;
  }
  return ExitCode::kRejected;
}

}  // namespace frit

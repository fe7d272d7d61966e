// From argv to Options and the command to run. The only file that includes CLI11.
#pragma once

#include <string>
#include <vector>

#include "apps/frit/console.h"
#include "apps/frit/exit_code.h"
#include "apps/frit/options.h"

namespace frit {

/// A command gets its options and the console, and returns the exit code.
using Command = ExitCode (*)(const Options&, Console&);

struct ParsedCommandLine {
  Options options;
  Command command = nullptr;  ///< nullptr: nothing to run; `text` is the answer (help, version)
  std::string text;
  std::string error;  ///< not empty: the command line is wrong
};

ParsedCommandLine parse_command_line(const std::vector<std::string>& arguments);

}  // namespace frit

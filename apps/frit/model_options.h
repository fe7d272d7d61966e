// From the words of the command line to the options of generators/build.h.
#pragma once

#include <string>

#include "apps/frit/console.h"
#include "apps/frit/options.h"
#include "generators/build.h"
#include "ops/base/result.h"

namespace frit {

/// Everything checked that needs no model; all faults at once. Progress of the compilation goes to
/// `console` (which must outlive the options), Ctrl-C is polled. The target is the first one asked
/// for, "host" without any.
tl::expected<BuildOptions, Diagnostics> build_options(const Options& options, Console& console);

/// "NAME=VALUE", split at the last "=". Error "cli-assignment" naming the option.
Result<std::pair<std::string, std::string>> split_assignment(const std::string& text,
                                                             const std::string& option);

}  // namespace frit

// Log categories are spdlog's named loggers; all write to stderr.
#pragma once

#include "apps/frit/options.h"

namespace frit {

/// Levels: -q errors only, none warnings, -v info, -vv debug. --log and FRIT_LOG ("emit,cache" or
/// "emit=trace") switch single categories on.
void start_logs(const GlobalOptions& options);

}  // namespace frit

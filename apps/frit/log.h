// Makes the loggers of generators/log.h; all write to stderr.
#pragma once

#include "apps/frit/options.h"
#include "ops/base/result.h"

namespace frit {

/// -v: a line for each step; -vv: for each thing in it; --log and FRIT_LOG ("plan,emit"): the same
/// of single categories. Error "cli-log" where FRIT_LOG names another.
Status start_logs(const GlobalOptions& options);

}  // namespace frit

// The search that `minimise EXPR` asks for.
#pragma once

#include "ops/base/result.h"
#include "ops/operator.h"
#include "schedules/ast.h"

namespace frit {

/// `chosen`, and for every other param of a file with a `minimise` line the value, among its default
/// and its set, that makes the expression least where every constraint holds. Of equal ones the
/// first is taken, params in order of the file and the default before the set. Without such a line,
/// `chosen` as it is.
///
/// Every combination is tried (a constraint cuts those below it off): 0.2 us each per line. Errors:
/// those of an expression; "sched-minimise" where no combination is allowed, or over 100,000 are.
Result<Facts> least_params(const ScheduleAst& ast, const Facts& facts, const Facts& chosen);

}  // namespace frit

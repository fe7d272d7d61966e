// The lines of a schedule that are in force under given values.
#pragma once

#include <vector>

#include "ops/operator.h"
#include "schedules/ast.h"

namespace frit {

/// Every item in source order, `if` blocks replaced by the branch whose condition holds. A name
/// unknown to `bound` makes a condition false.
std::vector<const ScheduleItem*> items_in_force(const ScheduleAst& ast, const Facts& bound);

}  // namespace frit

// Integer expressions of schedule files: value and text.
//
// Values are 64-bit; / and % round towards minus infinity; comparisons and not/and/or give 0 or 1.
// and, or and ?: evaluate only what they need. Functions: doc/schedule-language.md.
#pragma once

#include <string>

#include "ops/base/result.h"
#include "ops/operator.h"
#include "schedules/ast.h"

namespace frit {

/// Value of `expression` under `names`. Errors: "sched-name" (a name that `names` lacks),
/// "sched-arithmetic" (overflow, division by zero, a function outside its domain),
/// "sched-syntax" (a list or stage reference where a number is wanted).
Result<std::int64_t> evaluate(const ScheduleAst& ast, const Expression& expression,
                              const Facts& names);

/// True when the value is known and not 0: how `when` and `if` read a condition.
bool holds(const ScheduleAst& ast, const Expression& expression, const Facts& names);

/// Normal form with the fewest parentheses.
std::string to_text(const Expression& expression);
/// The same, in parentheses unless it is a number, a name or a call.
std::string to_operand_text(const Expression& expression);

/// Value of a fact; "x86.avx512" is the fact of that name, or else 1 when both parts are not 0.
const std::int64_t* find_fact(const Facts& names, const std::string& name);

}  // namespace frit

// The one place where Halide's exceptions become Diagnostics.
#pragma once

#include <functional>

#include "ops/base/result.h"
#include "schedules/ast.h"

namespace frit {

/// Runs `work`; an exception of Halide becomes an error "sched-halide" (or "sched-halide-internal"
/// for a failed check inside Halide). `place` may be empty.
Status guard_halide(const SourcePlace& place, const std::function<void()>& work);

}  // namespace frit

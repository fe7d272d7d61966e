// The one place where Halide's exceptions and warnings become Diagnostics.
#pragma once

#include <functional>

#include "ops/base/result.h"
#include "schedules/ast.h"

namespace frit {

/// Runs `work`; an exception of Halide becomes an error "sched-halide" (or "sched-halide-internal"
/// for a failed check inside Halide). `place` may be empty.
Status guard_halide(const SourcePlace& place, const std::function<void()>& work);

/// The same; what Halide warns of meanwhile is added to `warnings` (code "sched-halide", or
/// "sched-bounds" as an error where Halide proves that an access leaves its buffer) and not
/// printed. Not for two threads at once: Halide has one reporter.
Status guard_halide(const SourcePlace& place, Diagnostics& warnings,
                    const std::function<void()>& work);

}  // namespace frit

// Does a lowered kernel stay inside its buffers? Read off the checks that Halide put into it.
#pragma once

#include "ops/base/result.h"
#include "schedules/ast.h"

namespace Halide {
class Module;
}

namespace frit {

/// One error "sched-bounds" for each buffer dimension of which the kernel asks for more than the
/// buffer has. `module` must be lowered with asserts and its buffers have constant extents (as the
/// composer makes them): release kernels have no checks, so a schedule that overhangs (RoundUp or
/// ShiftInwards on a small stage) would read or write foreign memory in silence.
Diagnostics accesses_outside(const Halide::Module& module, const SourcePlace& place);

}  // namespace frit

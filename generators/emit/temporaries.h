// Heap bytes that a lowered kernel asks halide_malloc for, read off its statements.
#pragma once

#include <Halide.h>

#include <cstdint>
#include <string>

#include "ops/base/result.h"

namespace frit {

struct Temporaries {
  std::int64_t bytes = 0;         ///< most held at once outside parallel loops
  std::int64_t worker_bytes = 0;  ///< most held at once by one iteration of a parallel loop
};

/// `symbol` is the kernel; the module's other functions are bodies of its parallel loops (Halide
/// moves each into a function of its own). Each allocation counts as its size rounded up to 64
/// bytes, as the runtime's slab does. Error "emit-temporary": an allocation whose size is not
/// constant.
Result<Temporaries> temporaries_of(const Halide::Module& module, const std::string& symbol);

}  // namespace frit

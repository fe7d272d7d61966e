// Heap bytes that a lowered kernel asks halide_malloc for, read off its statement.
#pragma once

#include <Halide.h>

#include <cstdint>

#include "ops/base/result.h"

namespace frit {

struct Temporaries {
  std::int64_t bytes = 0;         ///< most held at once outside parallel loops
  std::int64_t worker_bytes = 0;  ///< most held at once by one iteration of a parallel loop
};

/// Each allocation counts as its size rounded up to 64 bytes, as the runtime's slab does.
/// Error "emit-temporary": an allocation whose size is not constant.
Result<Temporaries> temporaries_of(const Halide::Internal::Stmt& body);

}  // namespace frit

// Names of targets as a user writes them, and the Halide target that kernels are compiled for.
#pragma once

#include <Halide.h>

#include <string>

#include "ops/base/result.h"

namespace frit {

/// "host", "x86", "x86.avx2", "x86.avx512", "arm" (AArch64 NEON), "cuda" (host CPU + CUDA),
/// "opencl", or a Halide target string. Features that every kernel of a package has (no_asserts,
/// no_bounds_query, no_runtime, user_context) are added; `debug` leaves asserts in.
/// Error "target-name" with the names above.
Result<Halide::Target> parse_target(const std::string& name, bool debug);

/// The name that reports print: the Halide string without the features added by parse_target.
std::string target_text(const Halide::Target& target);

}  // namespace frit

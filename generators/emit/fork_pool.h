// Runs jobs in forked children: a crash, a hang or a memory blow-up is a Diagnostic, not our end.
//
// Each job runs in a fresh child forked from this process, so that Halide's unique-name counters
// start alike for every kernel and objects repeat byte for byte (DESIGN.md section 6). The calling
// process must be single-threaded and must not have made Halide objects itself.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ops/base/result.h"

namespace frit {

struct ForkLimits {
  int wall_seconds = 120;                             ///< then the child is killed
  std::int64_t memory_bytes = std::int64_t{4} << 30;  ///< address space; 0: unlimited
};

struct ForkJob {
  std::string name;                           ///< for messages
  std::function<Result<std::string>()> work;  ///< runs in the child; its text comes back
};

/// Called in the parent as each job ends, in order of ending.
using ForkDone = std::function<void(std::size_t job, const Result<std::string>& outcome)>;

/// Outcomes in job order. `parallel` children at most. Codes: "emit-timeout", "emit-crash" (with
/// the signal and the last lines of the child's stderr), or the Diagnostic that the work returned.
/// `stop` is polled; once true, running children are killed and the rest are not started
/// ("interrupted").
std::vector<Result<std::string>> run_forked(const std::vector<ForkJob>& jobs, int parallel,
                                            const ForkLimits& limits, const ForkDone& done,
                                            const std::function<bool()>& stop);

}  // namespace frit

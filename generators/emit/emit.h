// Compiles every kernel group of a plan: choose and bind a schedule, look in the cache, build the
// missing kernels in forked children, pack the constants.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "generators/emit/fork_pool.h"
#include "generators/emit/kernel.h"
#include "generators/emit/lower.h"

namespace frit {

struct EmitProgress {
  std::size_t done = 0, total = 0;  ///< distinct kernels
  std::size_t cached = 0;           ///< of those, found in the cache
  std::string group;                ///< that just finished
  double eta_seconds = 0.0;
};

/// The fact `threads` of every build. Kernels do not depend on how many threads a package has: with
/// other loops LLVM would contract and reorder sums differently, and bits would change with
/// --threads. A package for one thread runs the same tasks in a plain loop.
inline constexpr int kScheduleThreads = 2;

struct EmitOptions {
  Halide::Target target;
  /// Ascending; `target` is then the last one's. Empty: kernels for `target` alone.
  std::vector<CpuLevel> levels;
  int threads = kScheduleThreads;  ///< 1: kernels without parallel loops
  int jobs = 2;
  std::string cache_folder;  ///< see cache.h
  ForkLimits limits;
  std::vector<Schedule> user_schedules;  ///< before the shipped ones; a fault ends the build
  /// A fault in one of these is a warning, and the group gets the next that applies.
  std::vector<Schedule> shipped_schedules = frit::shipped_schedules();
  std::map<std::string, Facts> chosen_params;  ///< by group name: values of `param`s
  std::function<void(const EmitProgress&)> progress;
  std::function<bool()> stop;  ///< polled; true: end with code "interrupted"
};

/// All faults at once, one per group at most. A kernel that does not compile under a shipped
/// schedule is compiled under the next one, at last under the safe default, with a warning.
tl::expected<CompiledModel, Diagnostics> emit_model(const Graph& graph, const Plan& plan,
                                                    const EmitOptions& options);

}  // namespace frit

// Compiles one group in this process: compose, schedule, lower, object file.
//
// Called in forked children only (fork_pool.h): Halide's counters and memory are theirs.
#pragma once

#include <string>
#include <vector>

#include "generators/compose/compose.h"
#include "generators/emit/kernel.h"
#include "schedules/schedule.h"

namespace frit {

/// The schedule of one group with everything bound.
struct BoundSchedule {
  Schedule schedule;  ///< ast null: the safe default
  Facts bound;        ///< facts, target facts and params
  std::vector<PackSpec> packs;
  std::string name;         ///< file, or "default"
  bool shipped = false;     ///< out of EmitOptions::shipped_schedules: may be given up
  Diagnostics passed_over;  ///< shipped schedules that do not bind
};

struct LoweredKernel {
  std::unique_ptr<Composed> composed;
  Halide::Module module;
  std::int64_t temporary_bytes = 0;
  std::int64_t worker_bytes = 0;
  bool one_touch = false;  ///< see one_touch.h; of all outputs
};

/// compose + apply; no lowering. Used by show, check and lower_group.
Result<std::unique_ptr<Composed>> scheduled_pipeline(const Graph& graph, const Plan& plan,
                                                     const Group& group,
                                                     const BoundSchedule& schedule,
                                                     const Halide::Target& target);

/// Loops of the safe default: kPlain has no vectors, for what Halide makes no vector code of.
enum class DefaultLoops : std::uint8_t { kVectors, kPlain };

/// The Halide module of the group, its one function named `symbol`. `loops` is of no account where
/// the group has a schedule.
Result<LoweredKernel> lower_group(const Graph& graph, const Plan& plan, const Group& group,
                                  const BoundSchedule& schedule, const Halide::Target& target,
                                  const std::string& symbol,
                                  DefaultLoops loops = DefaultLoops::kVectors);

/// Makes code of a module; may throw Halide::Error.
using CodeMaker = std::function<void(Halide::Module&)>;

/// lower_group, then `make_code`: under the safe default a second time with plain loops where
/// Halide makes no vector code. Error "emit-codegen" where it makes none at all.
Result<LoweredKernel> lower_to_code(const Graph& graph, const Plan& plan, const Group& group,
                                    const BoundSchedule& schedule, const Halide::Target& target,
                                    const std::string& symbol, const CodeMaker& make_code);

/// Arguments of the kernel, in order, without constant_index.
std::vector<KernelArgument> kernel_arguments(const Graph& graph, const Composed& composed);

}  // namespace frit

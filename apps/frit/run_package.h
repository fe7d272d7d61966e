// A built model as a loaded package: what `frit run` and `frit verify` run.
#pragma once

#include "apps/frit/memory_need.h"
#include "apps/frit/options.h"
#include "generators/build.h"
#include "generators/package/loaded_package.h"

namespace frit {

/// The same code, plan and arena as the archive of `frit build`, loaded into this process. Its file
/// lives in a temporary folder that is gone on return. Errors: those of write_shared_object and
/// LoadedPackage::load, and "run-scratch". `cpu_level` is one of those built for; 0: the highest.
Result<LoadedPackage> load_built(const Options& options, const BuildOptions& build,
                                 const BuiltModel& built, int cpu_level = 0);

/// build_model for a command that goes on to execute the model here: one that cannot fit this
/// machine is refused before a kernel is compiled (memory_need.h).
tl::expected<BuiltModel, Diagnostics> build_to_execute(const BuildOptions& build, MemoryUse use);

}  // namespace frit

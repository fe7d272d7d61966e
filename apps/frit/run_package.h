// A built model as a loaded package: what `frit run` and `frit verify` run.
#pragma once

#include "apps/frit/options.h"
#include "generators/build.h"
#include "generators/package/loaded_package.h"

namespace frit {

/// The same code, plan and arena as the archive of `frit build`, loaded into this process. Its file
/// lives in a temporary folder that is gone on return. Errors: those of write_shared_object and
/// LoadedPackage::load, and "run-scratch".
Result<LoadedPackage> load_built(const Options& options, const BuildOptions& build,
                                 const BuiltModel& built);

}  // namespace frit

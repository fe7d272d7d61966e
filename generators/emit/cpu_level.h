// CPU levels: one package with kernels for several levels of x86-64, chosen when a context starts.
//
// The highest level decides how constants are packed; the kernels of the lower ones read the same
// bytes (emit.h). Everything that lies in memory is common to all levels.
#pragma once

#include <Halide.h>

#include <string>
#include <vector>

#include "ops/base/result.h"

namespace frit {

struct CpuLevel {
  int number = 0;    ///< of runtime/cpu.h; 0: no level, the one target of a package
  std::string name;  ///< "baseline", "avx2", "avx512"
  Halide::Target target;
};

/// Ascending, each once, whatever the order of `names`. Error "cpu-level" for an unknown name.
Result<std::vector<CpuLevel>> parse_cpu_levels(const std::vector<std::string>& names, bool debug);

}  // namespace frit

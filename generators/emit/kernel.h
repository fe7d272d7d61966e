// One compiled group: what the package, the verifier and the report need to know of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/compose/compose.h"
#include "generators/emit/cpu_level.h"

namespace frit {

/// A buffer argument of a kernel, in argument order (inputs, then outputs).
struct KernelArgument {
  ValueId value = kNone;
  bool is_output = false;
  bool is_constant = false;
  DType dtype = DType::kF32;
  /// Per Halide dimension, innermost first. The host pointer that the kernel is given is that of
  /// element (min_0, min_1, …): `offset_bytes` past the first stored byte of the value (an output
  /// with a halo is written in its interior only).
  struct Dim {
    std::int32_t min = 0, extent = 0, stride = 0;
  };
  std::vector<Dim> dims;
  std::int64_t offset_bytes = 0;
  std::int64_t bytes = 0;   ///< stored bytes, halo included
  int constant_index = -1;  ///< into CompiledModel::constants
};

struct Kernel {
  int group = 0;            ///< Group::id
  std::string symbol;       ///< C symbol of the compiled function; equal groups share it
  std::string object_path;  ///< file in the cache
  std::string object_sha256;
  std::vector<KernelArgument> arguments;
  std::int64_t temporary_bytes = 0;  ///< most heap bytes that one call holds by halide_malloc
  std::int64_t worker_bytes = 0;     ///< the same for each worker inside a parallel loop
  /// At every CPU level: each element of the output is written once, after every read of the
  /// elements of equally laid inputs at the same place: the output may lie over such an input
  /// (memory/memory_plan.h).
  bool one_touch = false;
  std::string schedule_name;  ///< file, or "default"
  std::string schedule_text;  ///< in force, printed
};

/// Everything compiled for one graph and target, before packaging.
struct CompiledModel {
  Halide::Target target;
  std::vector<Kernel> kernels;  ///< one per kernel group, in plan order
  struct Constant {
    std::string name;
    Tensor data;  ///< packed bytes
  };
  std::vector<Constant> constants;  ///< each distinct byte string once

  /// Kernels of one more CPU level: as many as `kernels`, of the same groups and arguments.
  struct Level {
    CpuLevel level;
    std::vector<Kernel> kernels;
  };
  CpuLevel level;                   ///< of `kernels`: the highest; number 0 without levels
  std::vector<Level> lower_levels;  ///< ascending
  Diagnostics warnings;             ///< "emit-fallback": shipped schedules given up
};

/// The model as if it were built with the kernels of one lower level only.
CompiledModel at_lower_level(const CompiledModel& model, std::size_t lower);

}  // namespace frit

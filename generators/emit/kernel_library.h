// Compiled kernels loaded into this process, to be called one by one (verify, bench, show).
//
// Links the kernels' object files into one shared object and loads it: the same machine code that
// the package holds. Not for CUDA or OpenCL targets, nor for other CPUs.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "generators/emit/kernel.h"
#include "ops/base/result.h"

namespace frit {

class KernelLibrary {
 public:
  /// Codes: "kernel-link" (with the linker's words), "kernel-load".
  static Result<std::unique_ptr<KernelLibrary>> load(const CompiledModel& model);
  ~KernelLibrary();
  KernelLibrary(const KernelLibrary&) = delete;
  KernelLibrary& operator=(const KernelLibrary&) = delete;

  /// Calls kernel `index` of the model. `buffers`: for each argument the address of its first
  /// stored byte (KernelArgument::bytes long from there); constants too. Borders (halos) are the
  /// caller's to fill. Error "kernel-failed" with Halide's code.
  Status run(std::size_t index, const std::vector<void*>& buffers) const;

 private:
  KernelLibrary() = default;
  struct Loaded {
    void* function = nullptr;
    std::vector<KernelArgument> arguments;
    std::string symbol;
  };
  void* handle_ = nullptr;
  std::vector<Loaded> kernels_;
};

}  // namespace frit

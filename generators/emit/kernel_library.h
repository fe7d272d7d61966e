// Compiled kernels loaded into this process, to be called one by one (verify, bench, show).
//
// Links the kernels' object files into one shared object and loads it: the same machine code that
// the package holds. For CUDA and OpenCL targets Halide's own runtime is linked in, and every call
// uploads its inputs and downloads its outputs. Not for other CPUs than this one.
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
  /// caller's to fill. Error "kernel-failed" with Halide's code, and the runtime's words where a
  /// device is missing or refuses.
  Status run(std::size_t index, const std::vector<void*>& buffers) const;

 private:
  KernelLibrary() = default;
  struct Loaded {
    void* function = nullptr;
    std::vector<KernelArgument> arguments;
    std::string symbol;
  };
  /// Functions of Halide's device runtime; null where the kernels run on the CPU.
  struct Device {
    int (*copy_to_host)(void*, void*) = nullptr;
    int (*free)(void*, void*) = nullptr;
    const char* (*last_error)() = nullptr;
  };
  void start_device();
  /// Fetches outputs and frees what a call left on the device; Halide's code.
  int leave_device(const std::vector<KernelArgument>& arguments,
                   std::vector<halide_buffer_t>& buffers) const;

  void* handle_ = nullptr;
  Device device_;
  std::vector<Loaded> kernels_;
};

}  // namespace frit

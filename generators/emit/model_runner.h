// Runs a compiled model kernel by kernel in this process: every value in a buffer of its own.
//
// For verify, profile and `run --dump`, where each intermediate must be there to be looked at. The
// package's own plan (one arena, C code) is another way through the same kernels.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "generators/emit/kernel_library.h"
#include "generators/fusion/plan.h"

namespace frit {

/// Memory aligned to 64 bytes, as kernels expect of constants and arenas.
using AlignedBytes = std::unique_ptr<std::byte, void (*)(void*)>;

class ModelRunner {
 public:
  /// `graph`, `plan` and `model` must outlive the runner.
  static Result<std::unique_ptr<ModelRunner>> load(const Graph& graph, const Plan& plan,
                                                   const CompiledModel& model);

  /// Sets any stored value from a dense row-major tensor of its type. Error "run-type".
  Status set(ValueId id, const Tensor& tensor);
  /// The dense row-major content of a stored value. FRIT_ASSERTs that it is stored.
  Tensor get(ValueId id) const;
  bool is_stored(ValueId id) const { return plan_.storage.contains(id); }

  /// Runs kernel `index` of the model on the buffers as they are.
  Status run_kernel(std::size_t index) const;
  /// Runs all in plan order; `after`, when set, is called after each.
  Status run(const std::function<void(std::size_t kernel)>& after = {}) const;

 private:
  ModelRunner(const Graph& graph, const Plan& plan, const CompiledModel& model)
      : graph_(graph), plan_(plan), model_(model) {}
  void allocate();
  /// First stored byte of the buffer that holds a value.
  std::byte* buffer_of(ValueId id) const;

  const Graph& graph_;
  const Plan& plan_;
  const CompiledModel& model_;
  std::unique_ptr<KernelLibrary> library_;
  std::map<ValueId, AlignedBytes> buffers_;
  std::vector<AlignedBytes> constants_;
  std::vector<std::vector<void*>> arguments_;  // per kernel
};

}  // namespace frit

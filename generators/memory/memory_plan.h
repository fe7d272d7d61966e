// Where every stored value of a compiled model lies at run time: in the caller's buffers, among the
// constants, or in the arena.
//
// Input: Graph, Plan, CompiledModel (which kernels read and write what). Values that Plan::alias_of
// joins share one buffer. The caller's tensors are dense, in ONNX's axis order. A graph input is
// read where the caller has it and never written; a graph output is written in the caller's buffer
// by its producer. Where the plan stores such a value otherwise (a halo, another axis order, a view
// into another buffer, one value twice an output), it lies in the arena and is copied in before the
// first step or out after the last.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generators/emit/kernel.h"
#include "generators/memory/arena.h"

namespace frit {

inline constexpr std::int64_t kArenaAlignment = 64;  ///< FRIT_ALIGNMENT of runtime/worker.h

/// Where a value's buffer begins. A kernel's host pointer is that plus
/// KernelArgument::offset_bytes.
struct Place {
  enum class Kind : std::uint8_t { kArena, kInput, kOutput, kConstant };
  Kind kind = Kind::kArena;
  int index = 0;            ///< of Graph::inputs, Graph::outputs or MemoryPlan::constants
  std::int64_t offset = 0;  ///< bytes from the start of the arena or of the constants' blob
};

/// A graph input or output copied between the caller's buffer and the value's own place.
struct TensorCopy {
  ValueId value = kNone;
  int index = 0;  ///< of Graph::inputs or Graph::outputs
};

/// A buffer whose border is to be filled before a step.
struct BorderFill {
  ValueId owner = kNone;
  int step = 0;  ///< -1: before the copies in
};

struct MemoryPlan {
  std::map<ValueId, Place> places;     ///< every value that a kernel or a copy touches
  std::vector<TensorCopy> copies_in;   ///< before step 0
  std::vector<TensorCopy> copies_out;  ///< after the last step
  std::vector<BorderFill> fills;       ///< in order of steps
  std::vector<Tensor> constants;  ///< CompiledModel's, in order, then those only copied to outputs
  std::vector<std::int64_t> constant_offsets;   ///< in the blob, multiples of 64
  std::int64_t constant_bytes = 0;              ///< of the blob
  std::vector<std::int64_t> temporary_offsets;  ///< per kernel: the calling thread's slab
  std::vector<std::int64_t> temporary_bytes;    ///< of that slab
  std::int64_t worker_slab_bytes = 0;           ///< of each further thread, apart from the arena
  std::vector<std::pair<ValueId, ValueId>> in_place;  ///< (input, output that takes its bytes)
  std::vector<LiveRange> ranges;
  ArenaPlan arena;
};

/// The kernels of `compiled`, in order, are the steps.
MemoryPlan plan_memory(const Graph& graph, const Plan& plan, const CompiledModel& compiled);

/// True when `kernel` may write `output` over `input`, given that `input` dies there: both are
/// buffers of their own that lie alike without halo, every way from `input` to `output` is
/// pointwise without broadcasting `input`, and the compiled loops touch each element once
/// (Kernel::one_touch).
bool can_write_in_place(const Graph& graph, const Plan& plan, const Group& group,
                        const Kernel& kernel, ValueId input, ValueId output);

/// The value whose buffer holds `value`: itself unless aliased.
ValueId buffer_owner(const Plan& plan, ValueId value);

/// The plan's storage; dense for a constant, which the plan does not list.
Storage storage_of(const Graph& graph, const Plan& plan, ValueId value);

/// True when `storage` is dense row-major without halo or view (axes of extent 1 lie anywhere).
bool is_dense(const Storage& storage, const std::vector<std::int64_t>& dims);

}  // namespace frit

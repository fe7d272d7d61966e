// Refuses to run a model that cannot fit this machine, before anything of it is allocated.
#pragma once

#include "generators/graph/graph.h"
#include "ops/base/result.h"

namespace frit {

/// What a value costs while a command holds it.
enum class MemoryUse : std::uint8_t {
  kRun,     ///< graph inputs and outputs as they are, and once as doubles
  kVerify,  ///< every value on the way as a double and its error bound
};

/// Bytes of this machine's memory, or of this process's limit where that is less.
std::int64_t memory_limit();

/// Error "input-memory" (exit code 3) where the inputs, the outputs and the largest value on the
/// way take more than `limit`. A lower bound: what it lets pass may still meet std::bad_alloc.
Status check_memory(const Graph& graph, MemoryUse use, std::int64_t limit);

/// For std::bad_alloc, with the same code.
Diagnostic out_of_memory();

}  // namespace frit

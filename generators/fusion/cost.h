// Is a legal fusion worth it? Named terms from counts, bytes and a machine profile.
//
// Every figure that decides is a CostTerm of the edge's verdict, so that it can be printed.
// Checked on the text recogniser: forcing its two squeeze-and-excite products into the convolutions
// that read them should cost 0.69 ms by these terms and cost 0.81 ms (frit bench, one thread).
#pragma once

#include <string>
#include <vector>

#include "generators/fusion/facts.h"
#include "generators/fusion/plan.h"

namespace frit {

/// What the cost model knows of a machine. The defaults are one core of Zen 4 (DESIGN.md section
/// 7).
struct MachineProfile {
  std::string name = "zen4";
  double vector_op_per_ns = 58.0;   ///< float32 vector operations: half of the FMA peak
  double scalar_op_per_ns = 7.0;    ///< operations on one broadcast element in an inner loop
  double transcendental_op = 20.0;  ///< operations that one exp or erf counts for
  double l2_bytes_per_ns = 60.0;    ///< traffic of values that fit into L2
  double memory_bytes_per_ns = 12.0;
  double kernel_ns = 300.0;  ///< starting one kernel
  std::int64_t l1_bytes = 32 * 1024;
  std::int64_t l2_bytes = 1024 * 1024;
  std::int64_t lanes = 16;           ///< float32 in a vector
  std::int64_t register_reuse = 32;  ///< uses of an anchor's first operand once it is in a register
  std::int64_t tile_rows = 7;        ///< the same for its second operand
  int most_nodes = 48;  ///< of one kernel: bigger ones compile in more than linear time
};

/// A refusal for cost, or that it is worth it.
struct Profit {
  bool worth = true;
  std::string code;  ///< "recompute"
  std::string sentence;
  std::vector<CostTerm> terms;
};

/// What keeping `value` inside a kernel saves: bytes_before, bytes_after, working_set_bytes,
/// cache_level (1: it fits into L1, 2: into L2, 3: neither), saved_ns.
std::vector<CostTerm> traffic_terms(const Graph& graph, ValueId value,
                                    const MachineProfile& machine);

/// Operations with each transcendental call counted for its polynomial.
double operations_of(const Counts& counts, const MachineProfile& machine);

/// How often an element of `value` is computed when it is computed where `consumer` reads it.
double evaluations_in(const GraphFacts& facts, ValueId value, int consumer,
                      const MachineProfile& machine);

/// `value`, which takes `operations` in all to compute once, computed where `consumer` reads it
/// instead of once into memory; `consumer` itself is computed `times` times.
/// Adds evaluations, flop_recomputed, alone_ns, inside_ns, parallel_elements.
/// inside_ns = operations * evaluations / rate there  against  operations / vector rate + saved_ns.
Profit prologue_profit(const GraphFacts& facts, double operations, double times, ValueId value,
                       int consumer, const MachineProfile& machine);

}  // namespace frit

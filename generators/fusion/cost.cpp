#include "generators/fusion/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "generators/fusion/facts.h"

namespace frit {
namespace {

/// How often one element of `value` is needed by the consumer.
double reads_per_element(const Graph& graph, const NodeFacts& consumer, ValueId value) {
  const auto elements =
      static_cast<double>(std::max<std::int64_t>(graph.value(value).type.elements(), 1));
  const auto made = static_cast<double>(consumer.op.outputs[0].elements());
  if (consumer.kind == OpKind::kReduction) {
    const auto flop = static_cast<double>(consumer.counts.flop);
    const bool product = consumer.node->inputs.size() > 1;  // multiply and add for each read
    return std::max(1.0, (product ? flop / 2 : flop) / elements);
  }
  if (consumer.kind == OpKind::kChain) return 3.0;  // maximum or mean, sum, result
  return std::max(1.0, made / elements);
}

/// A sum of products whose operand is one element broadcast over a vector of results; where every
/// result has channels of its own (depthwise), the operand is a vector too.
bool broadcasts_operand(const NodeFacts& consumer) {
  return consumer.kind == OpKind::kReduction && consumer.node->inputs.size() > 1 &&
         consumer.anchor.rfind("depthwise", 0) != 0;
}

/// Evaluations after what stays in registers is reused.
double evaluations_of(const NodeFacts& consumer, ValueId value, double reads,
                      const MachineProfile& machine) {
  if (!broadcasts_operand(consumer)) return reads;
  const bool first = consumer.node->inputs[0] == value;
  return std::max(1.0,
                  reads / static_cast<double>(first ? machine.register_reuse : machine.tile_rows));
}

double bandwidth(std::int64_t bytes, const MachineProfile& machine) {
  return bytes <= machine.l2_bytes ? machine.l2_bytes_per_ns : machine.memory_bytes_per_ns;
}

}  // namespace

std::vector<CostTerm> traffic_terms(const Graph& graph, ValueId value,
                                    const MachineProfile& machine) {
  const std::int64_t set = graph.value(value).type.bytes();
  const auto bytes = static_cast<double>(set);
  const double level = set <= machine.l1_bytes ? 1 : set <= machine.l2_bytes ? 2 : 3;
  return {{"bytes_before", 2 * bytes},
          {"bytes_after", 0.0},
          {"working_set_bytes", bytes},
          {"cache_level", level},
          {"saved_ns", 2 * bytes / bandwidth(set, machine) + machine.kernel_ns}};
}

double operations_of(const Counts& counts, const MachineProfile& machine) {
  return static_cast<double>(counts.flop) +
         machine.transcendental_op * static_cast<double>(counts.transcendental);
}

Profit prologue_profit(const GraphFacts& facts, double operations, double times, ValueId value,
                       int consumer, const MachineProfile& machine) {
  const Graph& graph = facts.graph();
  const NodeFacts& reader = facts.at(consumer);
  Profit profit;
  profit.terms = traffic_terms(graph, value, machine);
  const double saved_ns = profit.terms.back().value;
  const double reads = reads_per_element(graph, reader, value);
  const double evaluations = times * evaluations_of(reader, value, reads, machine);
  const double there =
      broadcasts_operand(reader) ? machine.scalar_op_per_ns : machine.vector_op_per_ns;
  const double alone_ns = operations / machine.vector_op_per_ns;
  const double inside_ns = operations * evaluations / there;
  profit.terms.push_back({"evaluations", evaluations});
  profit.terms.push_back({"flop_recomputed", operations * (evaluations - 1)});
  profit.terms.push_back({"alone_ns", alone_ns});
  profit.terms.push_back({"inside_ns", inside_ns});
  profit.terms.push_back(
      {"parallel_elements", static_cast<double>(reader.op.outputs[0].elements())});
  if (inside_ns <= alone_ns + saved_ns) return profit;
  profit.worth = false;
  profit.code = "recompute";
  profit.sentence = fmt::format(
      "computing '{}' where {} reads it costs {:.1f} us ({:.1f} evaluations an element), but "
      "storing it once costs {:.1f} us",
      graph.value(value).name, label(*reader.node), inside_ns / 1000, evaluations,
      (alone_ns + saved_ns) / 1000);
  return profit;
}

double evaluations_in(const GraphFacts& facts, ValueId value, int consumer,
                      const MachineProfile& machine) {
  const NodeFacts& reader = facts.at(consumer);
  return evaluations_of(reader, value, reads_per_element(facts.graph(), reader, value), machine);
}

}  // namespace frit

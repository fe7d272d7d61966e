// Random small graphs over the supported operators, in ONNX form, for differential tests.
//
// The use: for each seed compile the graph fused and compare every output with the reference; with
// `with_outputs` let every value be an output in at least one build. A failing seed is its own
// reproduction; to_text(graph) prints the graph.
//
// Every node is evaluated while the graph grows, and a node that makes NaN, Inf, values beyond
// `most_size`, or errors that swamp the values is not taken: so bounds stay meaningful.
#pragma once

#include <cstdint>
#include <vector>

#include "generators/graph/graph.h"
#include "generators/verify/evaluate.h"

namespace frit {

struct RandomGraphOptions {
  int nodes_low = 2, nodes_high = 12;        ///< a pattern (layer norm from parts) may exceed it
  std::int64_t most_elements = 4096;         ///< of one value
  std::int64_t most_multiply_adds = 150000;  ///< of one node
  double most_size = 100.0;                  ///< |value|
  double most_error = 1e-4;  ///< bound relative to the largest |value| of its tensor
  int opset = 17;
};

struct RandomGraph {
  Graph graph;       ///< types filled in (by the reference, not by shape inference)
  RefValues inputs;  ///< data for which the values are of order one
};

/// The same graph for the same seed and options.
RandomGraph random_graph(std::uint64_t seed, const RandomGraphOptions& options = {});

/// Outputs of all nodes, topological order.
std::vector<ValueId> computed_values(const Graph& graph);

/// The graph with these outputs in place of its own; nodes that then feed nothing are removed.
Graph with_outputs(const Graph& graph, const std::vector<ValueId>& outputs);

}  // namespace frit

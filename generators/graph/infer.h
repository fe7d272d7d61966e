// Types of single nodes; infer_types (graph.h) runs it over a graph.
#pragma once

#include "generators/graph/graph.h"

namespace frit {

/// Runs the node's shape rule on the types of its inputs and fills those of its outputs. Trailing
/// outputs that the operator does not give are dropped where nothing reads them.
/// Errors: "onnx-unsupported-op", "onnx-unsupported-output", "onnx-too-large" (see limits.h), and
/// the operator's own.
Status infer_node(Graph& graph, NodeId id);

}  // namespace frit

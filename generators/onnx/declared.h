// What a model declares of its outputs, held against what frit infers.
#pragma once

#include "generators/graph/graph.h"
#include "ops/base/diagnostic.h"

namespace onnx {
class GraphProto;
}

namespace frit {

/// Error "onnx-type" where an output is declared of another element type, or as no tensor. Warning
/// "onnx-shape" where a declared rank or fixed extent differs: exporters leave old extents behind
/// when a batch changes, and ONNX Runtime only warns of them too; what frit infers is what is built.
Diagnostics check_declared_outputs(const onnx::GraphProto& proto, const Graph& graph);

}  // namespace frit

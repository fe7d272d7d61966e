// The types of a model's inputs, open dims pinned by --shape.
#pragma once

#include <map>
#include <string>

#include "generators/onnx/import.h"
#include "ops/base/result.h"

namespace onnx {
class GraphProto;
}

namespace frit {

/// The type of every input that is no initializer and not pinned by options.consts. Faults, all at
/// once: "onnx-input" (no tensor, an element type frit does not compute with), "onnx-shape-option"
/// and "onnx-const-option" (unknown input, wrong rank, contradiction), "onnx-open-dims" (one, which
/// lists every open dim and the --shape text to give).
tl::expected<std::map<std::string, TensorType>, Diagnostics> resolve_inputs(
    const onnx::GraphProto& graph, const ImportOptions& options);

}  // namespace frit

// Which operators of a model frit does not have: found before anything else is looked at.
#pragma once

#include <map>
#include <string>

#include "ops/base/result.h"

namespace onnx {
class ModelProto;
}

namespace frit {

/// Opset by domain ("" for ONNX's own). Faults "onnx-opset": none given, older than kOldestOpset,
/// newer than kNewestOpset.
tl::expected<std::map<std::string, int>, Diagnostics> read_opsets(const onnx::ModelProto& model);

/// One "onnx-unsupported-op" for each operator that frit lacks or has only from a later opset on,
/// with the names of its nodes; control flow among them, its bodies too.
Diagnostics unsupported_operators(const onnx::ModelProto& model,
                                  const std::map<std::string, int>& opsets);

}  // namespace frit

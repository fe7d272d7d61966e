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

/// Why frit cannot take the operator, and what to do; empty where it can.
std::string unsupported_reason(const std::string& domain, const std::string& type, int opset);

/// One "onnx-unsupported-op" for each operator that frit lacks or has only from a later opset on,
/// with the names of its nodes; in bodies of loops too, but not in branches, which may never run.
Diagnostics unsupported_operators(const onnx::ModelProto& model,
                                  const std::map<std::string, int>& opsets);

}  // namespace frit

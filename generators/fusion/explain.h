// Why two nodes share a kernel or not, in sentences, with the next step: `frit explain`.
#pragma once

#include <string>
#include <string_view>

#include "generators/fusion/plan.h"
#include "ops/base/result.h"

namespace frit {

/// One paragraph an edge, in the plan's order:
///   'conv1' (Conv) -> 'relu1' (Relu): fused
///     'conv1' (64.0 KB) stays in the kernel of …
///     bytes_before 131072, bytes_after 0, saved_ns 2484.5
std::string explain_all(const Plan& plan, const Graph& graph);

/// The pair A,B, each the name of a node or of an ONNX node it came from: the groups of both, every
/// edge between them (or the way from one to the other), the two facts that decide and what would
/// make it fusible. Error "plan-no-such-node".
Result<std::string> explain_pair(const Plan& plan, const Graph& graph, const std::string& a,
                                 const std::string& b);

/// What a person can do about a refusal code; "" for "fused" and "view".
std::string_view next_step(std::string_view code);

}  // namespace frit

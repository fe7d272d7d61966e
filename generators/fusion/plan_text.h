// Plans as text: printed by to_text (plan.h), read back here, compared by `frit plan --expect`.
#pragma once

#include "generators/fusion/plan.h"

namespace frit {

/// "conv1 + relu1": the ONNX nodes that a node stands for, its own name where it has no origins.
std::string origin_text(const Node& node);

}  // namespace frit

// Small models that between them hold most operators: what tests of hostile input start from.
#pragma once

#include <vector>

#include "tests/support/model_builder.h"

namespace frit::testing {

/// Convolutions; shape arithmetic; attention at opset 12; what the others lack, mostly folded.
std::vector<ModelBuilder> sample_models();

}  // namespace frit::testing

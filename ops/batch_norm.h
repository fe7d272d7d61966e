// BatchNormalization, inference form.
//
//   out[n,c,…] = (in[n,c,…] - mean[c]) * scale[c] / sqrt(var[c] + epsilon) + bias[c]
//
// scale, bias, mean, var: [c]. scale / sqrt(var + epsilon) is a stage "factor" over the channels
// alone. Training (training_mode, per-activation statistics of `spatial` 0) is refused, and infer
// offers the first output only.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds BatchNormalization.
void add_batch_norm(std::vector<const Operator*>& all);

}  // namespace frit

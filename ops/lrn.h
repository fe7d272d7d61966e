// LRN: local response normalisation, across neighbouring channels.
//
//   out[n,c,…] = in[n,c,…] / (bias + alpha/size * sum_{c'} in[n,c',…]^2)^beta
//
// c' from c - floor((size-1)/2) to c + ceil((size-1)/2), channels that exist. Stages: "square", the
// squares with zeros around them, so that a schedule may make a row of them once; "acc", the sum
// over rc; "norm", the result. beta of 0.5, 0.75 and 1 are square roots and a division, others a
// power.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds LRN.
void add_lrn(std::vector<const Operator*>& all);

}  // namespace frit

// Concat: the inputs one after the other along `axis`.
//
//   out[…,i,…] = in_j[…, i - offset_j, …] with offset_j <= i < offset_j + extent_j
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds Concat.
void add_concat(std::vector<const Operator*>& all);

}  // namespace frit

// Transpose: out[i…] = in[…] with out axis a reading in axis perm[a]. perm absent: axes reversed.
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds Transpose.
void add_transpose(std::vector<const Operator*>& all);

}  // namespace frit

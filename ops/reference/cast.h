// Casts that operators other than Cast make of their results.
#pragma once

#include "ops/reference/call.h"

namespace frit::ref {

/// Floats as integers: truncated, saturated, 0 for NaN; where an error decides, the bound is open.
RefTensor to_integers(const RefTensor& x, DType to);

}  // namespace frit::ref

// Pad: elements before and after each axis, or, where a pad is negative, fewer of them.
//
//   constant : out[i…] = in[i - begin…] where that lies inside, else value
//   edge     : the nearest element        reflect: mirrored at the first and last element
//   wrap     : repeated from the other end
//
// edge, reflect and wrap work on what negative pads leave. Pads and value are attributes before
// opset 11, then inputs (pads and axes constant), with axes from opset 18. The canonical form has the
// attributes pads (begins…, ends… of all axes), mode and value; a value that is computed at run time,
// or that float32 does not hold, stays input 2 (input 1 is then omitted).
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds Pad.
void add_pad(std::vector<const Operator*>& all);

}  // namespace frit

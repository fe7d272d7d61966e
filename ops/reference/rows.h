// A tensor seen as rows along some axes, for reductions, softmax and norms.
#pragma once

#include "ops/reference/call.h"

namespace frit::ref {

/// Element (row r, position j) is at origin[r] + offset[j].
struct Rows {
  Dims kept;                        ///< extents of the other axes, in order
  Dims kept_ones;                   ///< as `kept`, with 1 for each reduced axis
  std::vector<std::size_t> origin;  ///< one per row, in row-major order of the kept axes
  std::vector<std::size_t> offset;  ///< one per position in a row
};

Rows rows_of(const Dims& dims, const std::vector<std::size_t>& axes);

}  // namespace frit::ref

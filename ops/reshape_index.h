// Index maths of Reshape, as plain as the two shapes allow.
//
// The shapes are cut into the shortest runs of axes that hold the same number of elements, so that
// a split or merge of some axes leaves the others alone: [n,c,y,x] -> [n,c,y*x] keeps n and c as
// they are, and a value stored channels-last is still read along its memory.
#pragma once

#include <vector>

#include "ops/stage.h"

namespace frit {

/// One run: axes [in_begin,in_end) of one shape hold the elements of [out_begin,out_end) of the
/// other. Axes of extent 1 may stand on one side alone.
struct ReshapeRun {
  std::size_t in_begin = 0, in_end = 0, out_begin = 0, out_end = 0;
};

/// The runs, in order, covering both shapes. The shapes must have equal, non-zero element counts.
std::vector<ReshapeRun> reshape_runs(const std::vector<std::int64_t>& in,
                                     const std::vector<std::int64_t>& out);

/// The index into a value of shape `in` of the element that Reshape puts at `index` of `out`.
Index reshape_index(const std::vector<std::int64_t>& in, const std::vector<std::int64_t>& out,
                    const Index& index);

}  // namespace frit

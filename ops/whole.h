// Stages that are computed once and entire, before anything that reads them: a scan, a scatter,
// what an extern stage reads. Halide would compute them for each element that is read.
#pragma once

#include "ops/stage.h"

namespace frit {

/// Fixes the stage at the root with its own extents; schedules lay out its loops, and no more.
inline void compute_whole(Stage& stage) {
  stage.func.compute_root();
  for (std::size_t axis = 0; axis < stage.axes.size(); ++axis) {
    stage.func.bound(stage.axes[axis], 0, static_cast<int>(stage.extents[axis]));
  }
}

/// Whether the stage is fixed so: every axis has its bounds. (Where it is computed, Halide tells
/// only once it lowers.)
inline bool is_whole(const Stage& stage) {
  const std::vector<Halide::Internal::Bound>& bounds = stage.func.function().schedule().bounds();
  std::size_t fixed = 0;
  for (const Halide::Internal::Bound& bound : bounds) fixed += bound.min.defined();
  return fixed > 0 && fixed == stage.axes.size();
}

}  // namespace frit

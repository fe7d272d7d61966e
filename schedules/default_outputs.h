// Loops of the safe schedule: a stage's own vectors, GPU blocks and threads.
#pragma once

#include "schedules/loop_nest.h"

namespace frit {

/// Vectorises every definition of a computed stage along its innermost storage dimension, where
/// that holds at least one vector. GuardWithIf neither reads nor writes beyond what is asked for,
/// whatever the extent. Definitions that have a marked loop are left alone. CPU only.
void vectorize_innermost(StageState& state, const Halide::Target& target);

/// A stage that is computed at the root: vectors on a CPU; on a GPU each definition's axes joined
/// and cut into blocks of threads.
void schedule_root(StageState& state, const Halide::Target& target);

/// Runs the outermost loop with more than one iteration in parallel, where the stage is big enough
/// to pay for it. CPU only.
void parallelize_outermost(StageState& state, const Halide::Target& target);

/// Where a stage goes on a GPU: inside the thread that reads it if no other thread reads the same
/// elements, else null (the root: a kernel of its own).
const Site* gpu_site(const LoopNest& nest, const StageState& stage, const std::vector<Site>& legal);

}  // namespace frit

// How many bytes a stage would hold at a place, from constant extents alone.
#pragma once

#include <cstdint>
#include <optional>

#include "schedules/loop_nest.h"

namespace frit {

/// The whole stage.
std::int64_t storage_bytes_at_root(const StageState& stage);

/// What is live at one iteration of `site`. Known where the one stage that reads it is `site`'s
/// own, and each index read moves with at most one axis of it; else nullopt. An upper bound: what
/// the indices add to an axis (a window's reach) is counted once.
std::optional<std::int64_t> storage_bytes_at(const LoopNest& nest, const StageState& stage,
                                             const Site& site);

}  // namespace frit

// Does a scheduled output write each of its elements exactly once?
#pragma once

#include "ops/stage.h"

namespace frit {

/// True when the loops of `output` cover its extents without overlap: one pure definition, no
/// specialisation, and every split either divides its extent or guards its tail (ShiftInwards and
/// its kin compute elements twice, RoundUp goes past the end). Such an output may lie over an input
/// that is read at the same indices. Called after scheduling, before lowering.
bool writes_each_element_once(const Stage& output);

}  // namespace frit

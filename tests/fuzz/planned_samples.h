// The sample models up to their plans: what texts of schedules and plans are read against.
#pragma once

#include <vector>

#include "generators/build.h"

namespace frit::testing {

/// Sample models in order, each through import, passes, layouts and plan. Made once.
const std::vector<PlannedModel>& planned_samples();

}  // namespace frit::testing

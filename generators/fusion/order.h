// First step of choose_layout: the axis order in which each value's maker writes it.
#pragma once

#include <vector>

#include "generators/fusion/facts.h"
#include "generators/fusion/plan.h"

namespace frit {

/// Orders by ValueId (no halo, no views yet). Graph inputs are dense; graph outputs too when
/// `outputs_dense`, else as their makers would rather write them.
std::vector<Storage> natural_orders(const GraphFacts& facts, bool outputs_dense);

}  // namespace frit

// The canonical text of a group: what its kernel computes, free of names and constant values.
//
// Two groups with the same text compile to the same kernel. Values are numbered in order of use;
// one-element constants appear by value, since they become literals of the code.
#pragma once

#include <string>

#include "generators/fusion/plan.h"

namespace frit {

std::string group_text(const Graph& graph, const Plan& plan, const Group& group);

}  // namespace frit

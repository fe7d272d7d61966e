// Offsets of every value in one caller-supplied arena.
//
// Input: live ranges in execution order. Output: offsets such that values alive together never
// overlap. Greedy by size with best fit, several orders tried, smallest peak kept; the lower bound
// is the largest sum of bytes alive at one step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/fusion/plan.h"

namespace frit {

struct LiveRange {
  std::string name;
  std::int64_t bytes = 0;
  int first_step = 0;  ///< step that writes it
  int last_step = 0;   ///< last step that reads it (>= first_step)
};

struct ArenaPlan {
  std::vector<std::int64_t> offsets;  ///< one per range; multiples of the alignment
  std::int64_t peak_bytes = 0;
  std::int64_t lower_bound_bytes = 0;
};

ArenaPlan plan_arena(const std::vector<LiveRange>& ranges, std::int64_t alignment);

/// A text picture: one row a range, one column a step (at most `columns` wide).
std::string arena_picture(const std::vector<LiveRange>& ranges, const ArenaPlan& plan, int columns);

}  // namespace frit

// Borders of stored values: how far their readers reach beyond the extents.
//
// A convolution that reads pre-padded input has no select in its inner loop, and no padding copy is
// needed: the maker writes the interior and the runtime the border.
#pragma once

#include <map>

#include "generators/fusion/facts.h"
#include "generators/fusion/plan.h"

namespace frit {

struct PartOf {
  ValueId whole = kNone;
  int axis = 0;  ///< along which the parts are stacked
};
/// value -> the value in whose buffer it is written as a part
using PartMap = std::map<ValueId, PartOf>;

/// Gives `storage` of `value` the halo that its readers want, those of its parts included. Where
/// fills disagree, the one behind which more work stands; the others read with a select.
void add_halo(const GraphFacts& facts, const PartMap& parts, ValueId value, Storage& storage);

}  // namespace frit

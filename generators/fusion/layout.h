// How every value lies in memory: axis order, halo, views, parts of bigger buffers.
//
// Convolutions and pools, and what is pointwise between them, lie channels-last; everything else
// and everything of the caller lies dense row-major. A value that its maker can write with a
// border, and whose readers reach beyond its extents, gets that border as halo. Reshape, Transpose,
// Slice and Split become views where strides allow; Concat's inputs are written straight into it.
// Nothing here changes results: any reader can read any storage, at another price.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "generators/fusion/facts.h"
#include "generators/fusion/plan.h"

namespace frit {

struct Layout {
  std::vector<Storage> storage;         ///< by ValueId; constants: unused
  std::map<ValueId, ValueId> alias_of;  ///< as in Plan
  std::set<NodeId> views;               ///< nodes that need no code
  struct Refusal {
    std::string code, sentence;
  };
  std::map<NodeId, Refusal> refusals;  ///< injective nodes that need code, and why
};

Layout choose_layout(const GraphFacts& facts);

/// {1, rank-1, …, 2, 0}: channels innermost, then x, y, n.
Storage channels_last_storage(int rank);

}  // namespace frit

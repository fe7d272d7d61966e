// DepthToSpace and SpaceToDepth: channels moved into blocks of pixels and back.
//
//   DepthToSpace  [n, c*b*b, y, x] -> [n, c, y*b, x*b]
//     DCR: out[n,c,y,x] = in[n, ((y%b)*b + x%b)*C + c, y/b, x/b]      (C channels out)
//     CRD: out[n,c,y,x] = in[n, c*b*b + (y%b)*b + x%b, y/b, x/b]
//   SpaceToDepth  [n, c, y*b, x*b] -> [n, c*b*b, y, x], the inverse of DCR
#pragma once

#include <vector>

#include "ops/operator.h"

namespace frit {

/// Adds DepthToSpace, SpaceToDepth.
void add_depth_space(std::vector<const Operator*>& all);

}  // namespace frit

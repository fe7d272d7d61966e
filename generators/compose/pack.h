// Packing of constants at build time, as a schedule's `pack` asks.
#pragma once

#include <string>
#include <vector>

#include "ops/base/result.h"
#include "ops/base/tensor.h"
#include "schedules/pipeline_view.h"

namespace frit {

/// Extents of the packed buffer, innermost first. Error "compose-pack": an axis of the constant is
/// not covered, is covered twice, or is unknown.
Result<std::vector<std::int64_t>> packed_extents(const PackSpec& pack,
                                                 const std::vector<std::string>& axes,
                                                 const std::vector<std::int64_t>& dims);

/// The packed bytes; elements that overhang the source are zero. `pack` fits (packed_extents).
Tensor pack_constant(const Tensor& tensor, const std::vector<std::string>& axes,
                     const PackSpec& pack);

}  // namespace frit

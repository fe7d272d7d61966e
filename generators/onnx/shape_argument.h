// The text of the command line's --shape: "x:1x3x48x320"; "s:" is a scalar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ops/base/result.h"

namespace frit {

/// Name and extents. The last ':' parts them, since names may hold ':'. Code "shape-option".
Result<std::pair<std::string, std::vector<std::int64_t>>> parse_shape_argument(
    std::string_view text);

/// "1x3x48x320"
std::string shape_argument_text(const std::vector<std::int64_t>& dims);

}  // namespace frit

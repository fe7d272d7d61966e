#include "generators/graph/limits.h"

#include <algorithm>

namespace frit {

std::optional<std::int64_t> checked_elements(std::span<const std::int64_t> dims) {
  if (dims.size() > kMaxRank) return std::nullopt;
  std::int64_t product = 1;
  bool empty = false;
  for (const std::int64_t extent : dims) {
    if (extent < 0 || extent > kMaxExtent) return std::nullopt;
    empty = empty || extent == 0;
    const std::int64_t factor = std::max<std::int64_t>(extent, 1);
    if (product > kMaxElements / factor) return std::nullopt;
    product *= factor;
  }
  return empty ? 0 : product;
}

}  // namespace frit

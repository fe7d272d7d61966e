#include "generators/graph/limits.h"

#include <fmt/format.h>

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

std::string limit_fault(std::span<const std::int64_t> dims) {
  if (checked_elements(dims)) return "";
  if (dims.size() > kMaxRank) {
    return fmt::format("has {} axes but at most {} are supported", dims.size(), kMaxRank);
  }
  for (const std::int64_t extent : dims) {
    if (extent >= 0 && extent <= kMaxExtent) continue;
    return fmt::format("has the extent {} but from 0 to {} are supported", extent, kMaxExtent);
  }
  return fmt::format("has more than the {} elements that are supported", kMaxElements);
}

}  // namespace frit

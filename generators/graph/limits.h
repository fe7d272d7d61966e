// How big a tensor of a model may be. Beyond it, a model file is broken or hostile: extents come
// out of untrusted attributes, and every later product of extents must fit an int64 with room to
// spare.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace frit {

inline constexpr std::int64_t kMaxExtent = std::int64_t{1} << 31;
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 36;
inline constexpr std::size_t kMaxRank = 16;

/// Product of dims; nullopt where one is negative or above kMaxExtent, the product is above
/// kMaxElements (extents of 0 counted as 1), or there are more than kMaxRank.
std::optional<std::int64_t> checked_elements(std::span<const std::int64_t> dims);

/// Which of these limits `dims` breaks, as a clause ("has 40 axes but at most 16 are supported");
/// empty: none.
std::string limit_fault(std::span<const std::int64_t> dims);

}  // namespace frit

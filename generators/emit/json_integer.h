// Integers in JSON that others may have written.
//
// nlohmann's own conversion casts: 1e300 to an int is undefined, 2^40 is cut.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace frit {

/// Throws std::invalid_argument unless `json` is an integer in [least, most].
inline std::int64_t json_integer(const nlohmann::json& json, std::int64_t least,
                                 std::int64_t most) {
  const bool fits =
      json.is_number_unsigned() ? json.get<std::uint64_t>() <= INT64_MAX : json.is_number_integer();
  const std::int64_t value = fits ? json.get<std::int64_t>() : 0;
  if (fits && value >= least && value <= most) return value;
  throw std::invalid_argument("a number should be an integer from " + std::to_string(least) +
                              " to " + std::to_string(most) + " but is " +
                              json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace frit

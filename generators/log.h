// What each step of a build did, for who asks (-v, -vv, --log): spdlog's named loggers.
#pragma once

#include <array>
#include <string>

namespace frit {

/// In the order of a build.
inline constexpr std::array<const char*, 4> kLogCategories = {"import", "passes", "plan", "emit"};

/// Nothing where no logger of that name was made: the program makes them (apps/frit/log.h).
void log_info(const char* category, const std::string& text);   ///< one line of a step
void log_debug(const char* category, const std::string& text);  ///< one of a thing in it

}  // namespace frit

#include "generators/log.h"

#include <spdlog/spdlog.h>

#include "ops/base/printable.h"

namespace frit {
namespace {

// As a value, not as a format: names of a model may hold braces.
void log_at(spdlog::level::level_enum level, const char* category, const std::string& text) {
  if (const auto logger = spdlog::get(category)) logger->log(level, "{}", printable(text));
}

}  // namespace

void log_info(const char* category, const std::string& text) {
  log_at(spdlog::level::info, category, text);
}

void log_debug(const char* category, const std::string& text) {
  log_at(spdlog::level::debug, category, text);
}

}  // namespace frit

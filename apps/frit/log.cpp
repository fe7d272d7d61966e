#include "apps/frit/log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>

#include "generators/log.h"

namespace frit {

namespace {

/// Words of FRIT_LOG, "emit,plan".
Result<std::set<std::string>> from_environment() {
  std::set<std::string> categories;
  const char* const value = std::getenv("FRIT_LOG");
  std::string rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string word = rest.substr(0, comma);
    if (std::find(kLogCategories.begin(), kLogCategories.end(), word) == kLogCategories.end()) {
      return fail("cli-log",
                  fmt::format("'{}' in FRIT_LOG is none of {}; write a list of them with "
                              "','",
                              word, fmt::join(kLogCategories, ", ")));
    }
    categories.insert(word);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return categories;
}

}  // namespace

Status start_logs(const GlobalOptions& options) {
  auto asked = from_environment();
  if (!asked) return fail(asked.error());
  asked->insert(options.log.begin(), options.log.end());
  const auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  sink->set_pattern("%n: %v");
  const auto usual = options.verbosity >= 2   ? spdlog::level::debug
                     : options.verbosity == 1 ? spdlog::level::info
                                              : spdlog::level::off;
  for (const char* category : kLogCategories) {
    auto logger = std::make_shared<spdlog::logger>(category, sink);
    logger->set_level(asked->contains(category) ? spdlog::level::debug : usual);
    spdlog::register_logger(std::move(logger));
  }
  return {};
}

}  // namespace frit

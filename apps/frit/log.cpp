#include "apps/frit/log.h"

#include <spdlog/cfg/helpers.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <string>

namespace frit {

namespace {

/// "emit" means "emit=debug" in spdlog's spelling.
std::string with_level(const std::string& category) {
  return category.find('=') == std::string::npos ? category + "=debug" : category;
}

}  // namespace

void start_logs(const GlobalOptions& options) {
  auto logger = spdlog::stderr_logger_mt("frit");
  logger->set_pattern("%n: %v");
  spdlog::set_default_logger(logger);
  std::string levels = "warning";
  if (options.quiet) levels = "error";
  if (options.verbosity == 1) levels = "info";
  if (options.verbosity >= 2) levels = "debug";
  for (const std::string& category : options.log) levels += "," + with_level(category);
  if (const char* from_environment = std::getenv("FRIT_LOG")) {
    std::string rest = from_environment;
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      levels += "," + with_level(rest.substr(0, comma));
      rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    }
  }
  spdlog::cfg::helpers::load_levels(levels);
}

}  // namespace frit

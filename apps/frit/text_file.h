// Text files that a command line names: schedules and plans.
#pragma once

#include <cstddef>
#include <string>

#include "ops/base/result.h"

namespace frit {

/// Longest schedule or plan that is read; the plan of 10,000 nodes has about 2 MB.
inline constexpr std::size_t kMostTextBytes = std::size_t{16} << 20;

/// The bytes of `path`; `what` says what it should hold ("schedule"). Error "input-file", exit code
/// 3 as for what a file holds: it is not there, a folder, not readable, or longer than the limit.
Result<std::string> read_text_file(const std::string& path, const std::string& what);

/// Error "cli-output" where the file to write is the one that was read, by whatever name.
Status check_not_input(const std::string& output, const std::string& input);

/// Error "input-folder" unless `path` is a folder.
Status check_folder(const std::string& path, const std::string& what);

}  // namespace frit

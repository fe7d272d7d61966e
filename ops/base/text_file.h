// Text files that a user names, as a schedule or a plan, read within a limit.
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

}  // namespace frit

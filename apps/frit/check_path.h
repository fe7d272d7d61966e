// Whether a file or folder that a command line names may be what it is named for.
#pragma once

#include <string>

#include "ops/base/result.h"

namespace frit {

/// Error "cli-output" where the file to write is the one that was read, by whatever name.
Status check_not_input(const std::string& output, const std::string& input);

/// Error "input-folder" unless `path` is a folder.
Status check_folder(const std::string& path, const std::string& what);

}  // namespace frit

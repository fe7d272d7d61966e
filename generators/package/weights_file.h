// A package's constants as a file beside the archive (`--weights external`): its bytes, and a
// header that maps it. The format is runtime/weights.h's.
#pragma once

#include <string>

#include "generators/package/model.h"

namespace frit {

/// The header of the file of these constants. The identity is a hash of the constants and their
/// offsets alone: packages that differ only in code share a file.
frit_weights_header weights_header(const MemoryPlan& memory);

/// The file: the header and the blob.
std::string weights_file_bytes(const PackageModel& model);

/// <m>_weights.h: maps the file in a user's program by POSIX calls, which a package does not make.
std::string map_weights_text(const PackageModel& model);

}  // namespace frit

// What is left behind when frit itself is at fault.
#pragma once

#include <string>

#include "apps/frit/options.h"

namespace frit {

/// Writes a folder with the command, the versions, the fault, and the model's name and size;
/// returns its path, or "" where none can be written.
std::string write_crash_bundle(const Options& options, const std::string& fault);

}  // namespace frit

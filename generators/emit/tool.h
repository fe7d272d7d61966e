// Runs an external program: no shell, its messages captured.
#pragma once

#include <string>
#include <vector>

#include "ops/base/result.h"

namespace frit {

struct ToolRun {
  std::vector<std::string> arguments;  ///< [0] is looked up in $PATH
  std::string folder;                  ///< working folder; empty: ours
};

/// Error "package-tool" when the program cannot be started (message says which to install) or
/// ends otherwise than by 0 (notes hold the last lines that it wrote).
Status run_tool(const ToolRun& run);

/// The C compiler and binutils for a target.
struct Toolchain {
  std::vector<std::string> cc;  ///< words of $CC, or "cc", or "aarch64-linux-gnu-gcc"
  std::string objcopy, ar;
};

enum class Architecture : std::uint8_t { kHost, kX86_64, kAArch64 };

/// For the host $CC is used when set; `architecture` may be the host's own under its name.
Toolchain toolchain_for(Architecture architecture);

}  // namespace frit

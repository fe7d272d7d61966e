#include "apps/frit/scratch_folder.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace frit {

Result<ScratchFolder> ScratchFolder::make() {
  std::error_code failure;
  const auto base = std::filesystem::temp_directory_path(failure);
  std::string name = (base / "frit-XXXXXX").string();
  if (failure || ::mkdtemp(name.data()) == nullptr) {
    return fail("run-scratch", "cannot make a folder in " + base.string() + "; set TMPDIR");
  }
  return ScratchFolder(std::move(name));
}

ScratchFolder::ScratchFolder(std::string path) : path_(std::move(path)) {}
ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")) {}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace frit

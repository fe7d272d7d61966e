#include "apps/frit/check_path.h"

#include <fmt/format.h>

#include <filesystem>

#include "ops/base/output_file.h"

namespace frit {

namespace fs = std::filesystem;

Status check_not_input(const std::string& output, const std::string& input) {
  if (!same_file(output, input)) return {};
  return fail("cli-output",
              fmt::format("'{}' would be written over '{}', which is read; name another "
                          "file",
                          output, input));
}

Status check_folder(const std::string& path, const std::string& what) {
  std::error_code fault;
  const fs::file_status status = fs::status(path, fault);
  if (fs::is_directory(status)) return {};
  return fail("input-folder",
              fmt::format("'{}' should be {} but {}", path, what,
                          fs::exists(status) ? "is a file; name its folder"
                                             : "there is no such folder; check the path"));
}

}  // namespace frit

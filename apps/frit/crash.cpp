#include "apps/frit/crash.h"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace frit {

std::string write_crash_bundle(const Options& options, const std::string& fault) {
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failure);
  if (failure) return "";
  std::string name = (folder / "frit-crash-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return "";
  std::ofstream text(std::filesystem::path(name) / "report.txt");
  text << "frit " << FRIT_VERSION << "\n"
       << "folder: " << std::filesystem::current_path(failure).string() << "\n"
       << "command: " << reproduce_line(options) << "\n"
       << "fault: " << fault << "\n";
  for (const std::string& file :
       {options.model.model, options.model.plan_file, options.command.file}) {
    if (file.empty()) continue;
    const auto bytes = std::filesystem::file_size(file, failure);
    text << "file: " << file << " (" << (failure ? 0 : bytes) << " bytes)\n";
    // Text files are small and say most: keep them. A model may be secret: only named.
    const bool is_text = file != options.model.model;
    if (is_text) {
      std::filesystem::copy_file(
          file, std::filesystem::path(name) / std::filesystem::path(file).filename(), failure);
    }
  }
  return name;
}

}  // namespace frit

#include "ops/base/text_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace frit {

namespace fs = std::filesystem;

Result<std::string> read_text_file(const std::string& path, const std::string& what) {
  const auto refuse = [&](const std::string& why) {
    return fail("input-file", fmt::format("'{}' should be a {} but {}", path, what, why));
  };
  std::error_code fault;
  const fs::file_status status = fs::status(path, fault);
  if (!fs::exists(status)) return refuse("there is no such file; check the path");
  if (fs::is_directory(status)) return refuse("is a folder; name the file in it");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return refuse("cannot be opened; check its permissions");
  std::string text(kMostTextBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) return refuse("cannot be read; check the disk");
  if (text.size() > kMostTextBytes) {
    return refuse(fmt::format("has more than {} bytes; name the right file", kMostTextBytes));
  }
  return text;
}

}  // namespace frit

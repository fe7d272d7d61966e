#include "generators/emit/cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace frit {
namespace {

namespace fs = std::filesystem;

std::string default_folder() {
  if (const char* folder = std::getenv("FRIT_CACHE_DIR"); folder && *folder) return folder;
  if (const char* base = std::getenv("XDG_CACHE_HOME"); base && *base) {
    return std::string(base) + "/frit";
  }
  const char* home = std::getenv("HOME");
  return (home && *home ? std::string(home) : std::string(".")) + "/.cache/frit";
}

tl::unexpected<Diagnostic> cannot(const std::string& what, const std::string& path,
                                  const std::error_code& why) {
  return fail("cache-write", fmt::format("cannot {} '{}': {}; give another folder by "
                                         "FRIT_CACHE_DIR",
                                         what, path, why.message()));
}

}  // namespace

Cache::Cache(std::string folder) : folder_(folder.empty() ? default_folder() : std::move(folder)) {}

std::string Cache::path(const std::string& key, const std::string& suffix) const {
  return folder_ + "/" + key.substr(0, 2) + "/" + key + suffix;
}

bool Cache::has(const std::string& key, const std::string& suffix) const {
  std::error_code ignored;
  return fs::is_regular_file(path(key, suffix), ignored);
}

std::optional<std::string> Cache::read(const std::string& key, const std::string& suffix) const {
  std::ifstream file(path(key, suffix), std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return file.bad() ? std::nullopt : std::optional(text.str());
}

Result<std::string> Cache::scratch(const std::string& key, const std::string& suffix) const {
  const std::string final_path = path(key, suffix);
  std::error_code why;
  fs::create_directories(fs::path(final_path).parent_path(), why);
  if (why) return cannot("make the cache folder of", final_path, why);
  static int count = 0;
  return fmt::format("{}.{}.{}.tmp{}", final_path, ::getpid(), count++, suffix);
}

Status Cache::commit(const std::string& scratch_path, const std::string& key,
                     const std::string& suffix) const {
  std::error_code why;
  fs::rename(scratch_path, path(key, suffix), why);
  if (why) return cannot("put in place", path(key, suffix), why);
  return {};
}

Status Cache::write(const std::string& key, const std::string& suffix,
                    const std::string& text) const {
  const Result<std::string> temporary = scratch(key, suffix);
  if (!temporary) return fail(temporary.error());
  std::ofstream file(*temporary, std::ios::binary);
  file << text;
  file.close();
  if (!file) return cannot("write", *temporary, std::make_error_code(std::errc::io_error));
  return commit(*temporary, key, suffix);
}

}  // namespace frit

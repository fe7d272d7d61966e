// Writing seeds and dictionaries.
#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace frit::testing {

namespace fs = std::filesystem;

inline void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

inline void write_dictionary(const fs::path& path, const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += "\"" + word + "\"\n";
  write(path, text);
}

}  // namespace frit::testing

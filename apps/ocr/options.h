// The command line of ocr.
#pragma once

#include <string>

namespace ocr {

struct Options {
  std::string page;
  std::string json;      ///< file, "-" for stdout, "" for none
  std::string annotate;  ///< file, "" for none
  std::string dump;      ///< folder, "" for none
  int threads = 1;
  bool times = false;
};

extern const char* const kUsage;

/// Returns "" or what is wrong with the command line.
std::string parse_options(int argc, const char* const* argv, int most_threads, Options& options);

}  // namespace ocr

#include "apps/ocr/options.h"

#include <charconv>
#include <string_view>

namespace ocr {

const char* const kUsage =
    "usage: ocr PAGE.png [--json FILE|-] [--annotate FILE.png] [--threads N] [--times]\n"
    "           [--dump FOLDER]   inputs and outputs of the networks as .npy\n"
    "Prints the text, a line each, or with --json - the report.\n";

namespace {

std::string parse_threads(std::string_view word, int most, int& threads) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), threads);
  if (error == std::errc() && end == word.data() + word.size() && threads >= 1 && threads <= most) {
    return "";
  }
  return "--threads is '" + std::string(word) + "' but the networks were built for 1 to " +
         std::to_string(most) + " threads; give one of these numbers";
}

}  // namespace

std::string parse_options(int argc, const char* const* argv, int most_threads, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--times") {
      options.times = true;
      continue;
    }
    std::string threads;
    std::string* const value = word == "--json"       ? &options.json
                               : word == "--annotate" ? &options.annotate
                               : word == "--dump"     ? &options.dump
                               : word == "--threads"  ? &threads
                                                      : nullptr;
    if (value != nullptr) {
      if (i + 1 == argc || *argv[i + 1] == '\0')
        return word + " stands without a value; write one after it";
      *value = argv[++i];
      if (value != &threads) continue;
      const std::string fault = parse_threads(threads, most_threads, options.threads);
      if (!fault.empty()) return fault;
    } else if (word.starts_with("-")) {
      return "there is no option '" + word + "'; those below exist";
    } else if (!options.page.empty()) {
      return "two pages, '" + options.page + "' and '" + word + "'; give one at a time";
    } else {
      options.page = word;
    }
  }
  return options.page.empty() ? "no page is given; name a PNG file" : "";
}

}  // namespace ocr

#include "apps/frit/options.h"

#include <string_view>

namespace frit {

namespace {

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace

std::string reproduce_line(const Options& options) {
  std::string line = "frit";
  for (const std::string& word : options.arguments) line += " " + shell_quoted(word);
  return line;
}

}  // namespace frit

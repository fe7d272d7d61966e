#include "generators/onnx/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/base/printable.h"

namespace frit {

std::string quoted_name(std::string_view name) {
  constexpr std::size_t kMost = 120;
  std::size_t shown = std::min(name.size(), kMost);
  // Never cut inside a UTF-8 sequence.
  while (shown < name.size() && shown > 0 &&
         (static_cast<unsigned char>(name[shown]) & 0xC0) == 0x80) {
    --shown;
  }
  std::string text = "'";
  for (const char c : printable(name.substr(0, shown))) {
    text += c == '\n' ? "\\x0a" : c == '\t' ? "\\x09" : std::string(1, c);
  }
  if (shown < name.size()) text += fmt::format("… ({} bytes)", name.size());
  return text + "'";
}

std::string quoted_names(const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(quoted_name(name));
  return listed(quoted, most);
}

std::string listed(const std::vector<std::string>& texts, std::size_t most) {
  std::string text;
  const std::size_t shown = std::min(texts.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) text += i + 1 == texts.size() ? " and " : ", ";
    text += texts[i];
  }
  if (shown < texts.size()) text += fmt::format(" and {} more", texts.size() - shown);
  return text;
}

std::string node_label(const std::string& name, const std::string& op_type, int position) {
  // The type comes out of the file as well.
  const std::string quoted = quoted_name(op_type), type = quoted.substr(1, quoted.size() - 2);
  return name.empty() ? fmt::format("unnamed node #{} ({})", position, type)
                      : fmt::format("node {} ({})", quoted_name(name), type);
}

std::string UniqueNames::take(const std::string& wanted) {
  int& times = taken_[wanted];
  if (++times == 1) return wanted;
  // "a#2" may itself be a name of the model: then the next number that is free.
  for (int i = times;; ++i) {
    std::string name = fmt::format("{}#{}", wanted, i);
    if (taken_.emplace(name, 1).second) {
      taken_[wanted] = i;
      return name;
    }
  }
}

}  // namespace frit

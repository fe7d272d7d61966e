// Names out of model files, which may be empty, very long or not text at all.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace frit {

/// 'name' for messages: control bytes as \xNN, longer than 120 bytes cut with "…" and the length.
std::string quoted_name(std::string_view name);

/// "'a', 'b', 'c' and 4 more": at most `most` names.
std::string quoted_names(const std::vector<std::string>& names, std::size_t most = 20);

/// The same of texts as they are.
std::string listed(const std::vector<std::string>& texts, std::size_t most = 20);

/// "node 'conv1' (Conv)", or "unnamed node #3 (Conv)" of the node at that position of its graph.
std::string node_label(const std::string& name, const std::string& op_type, int position);

/// Hands out every name once: the second "a" becomes "a#2", the third "a#3".
class UniqueNames {
 public:
  std::string take(const std::string& wanted);

 private:
  std::map<std::string, int> taken_;  ///< how often it was wanted
};

}  // namespace frit

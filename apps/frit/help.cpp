// frit help TOPIC: the texts of doc/help, embedded at build.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/frit/commands.h"

namespace frit {

const std::vector<std::pair<std::string, std::string>>& help_texts();  // made by cmake/embed.cmake

ExitCode command_help(const Options& options, Console& console) {
  const std::string& topic = options.command.what;
  std::string topics;
  for (const auto& [file, text] : help_texts()) {
    const std::string name = file.substr(0, file.find('.'));
    if (name == topic) {
      if (console.json()) {
        console.document({{"schema", "frit.help/1"}, {"topic", name}, {"text", text}});
      } else {
        console.answer(text);
      }
      return ExitCode::kSuccess;
    }
    topics += (topics.empty() ? "" : ", ") + name;
  }
  if (topic.empty()) {
    console.answer("Topics: " + topics + "\nCommands: frit --help");
    return ExitCode::kSuccess;
  }
  return console.reject(
      error("cli-topic", fmt::format("there is no help on '{}'; topics are: {}", topic, topics)));
}

}  // namespace frit

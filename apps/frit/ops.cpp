// frit ops: the operators that import, plan and emit understand.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "apps/frit/commands.h"
#include "ops/attributes.h"
#include "ops/operator.h"

namespace frit {

namespace {

std::string full_name(const Operator& op) {
  return (op.domain().empty() ? "" : std::string(op.domain()) + "::") + std::string(op.type());
}

}  // namespace

ExitCode command_ops(const Options& options, Console& console) {
  const std::string& wanted = options.command.what;
  nlohmann::json list = nlohmann::json::array();
  std::string text = fmt::format("{:<28} {}\n", "operator", "from opset");
  for (const Operator* op : all_operators()) {
    const std::string name = full_name(*op);
    if (!wanted.empty() && wanted != name && wanted != op->type()) continue;
    nlohmann::json attributes = nlohmann::json::array(), required = nlohmann::json::object();
    if (const auto* known = known_attributes(op->domain(), op->type())) {
      for (const KnownAttribute& attribute : *known) {
        attributes.push_back(attribute.name);
        if (attribute.required_until > 0) required[attribute.name] = attribute.required_until;
      }
    }
    list.push_back({{"type", op->type()},
                    {"domain", op->domain()},
                    {"first_opset", op->first_opset()},
                    {"attributes", std::move(attributes)},
                    {"required_until_opset", std::move(required)}});
    text += fmt::format("{:<28} {}\n", name, op->first_opset());
  }
  if (list.empty()) {
    return console.reject(error(
        "cli-operator", fmt::format("there is no operator '{}'; frit ops lists all", wanted)));
  }
  if (console.json()) {
    console.document({{"schema", "frit.ops/1"}, {"operators", std::move(list)}});
  } else {
    console.answer(text);
  }
  return ExitCode::kSuccess;
}

}  // namespace frit

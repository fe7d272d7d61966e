// frit ops: the operators that import, plan and emit understand.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/frit/commands.h"
#include "ops/attributes.h"
#include "ops/operator.h"
#include "ops/reference/reference.h"

namespace frit {

namespace {

using Json = nlohmann::json;

std::string full_name(const Operator& op) {
  return (op.domain().empty() ? "" : std::string(op.domain()) + "::") + std::string(op.type());
}

std::string kind_text(AttributeKind kind) {
  constexpr std::string_view kNames[] = {"int",    "float",   "string", "ints",
                                         "floats", "strings", "tensor"};
  return std::string(kNames[static_cast<std::size_t>(kind)]);
}

/// "axis int, required"; "axes ints, required up to opset 12"
std::string attribute_text(const KnownAttribute& attribute) {
  std::string text = fmt::format("{} {}", attribute.name, kind_text(attribute.kind));
  if (attribute.required_until == kAlways) return text + ", required";
  if (attribute.required_until == 0) return text;
  return text + fmt::format(", required up to opset {}", attribute.required_until);
}

Json json_of(const Operator& op) {
  Json attributes = Json::array(), required = Json::object();
  for (const KnownAttribute& attribute : op.attributes()) {
    attributes.push_back(attribute.name);
    if (attribute.required_until > 0) required[attribute.name] = attribute.required_until;
  }
  return {{"type", op.type()},
          {"domain", op.domain()},
          {"first_opset", op.first_opset()},
          {"attributes", std::move(attributes)},
          {"required_until_opset", std::move(required)},
          {"reference", has_reference(op.domain(), op.type())}};
}

/// One operator, a fact a line.
std::string detail_of(const Operator& op) {
  std::string text = fmt::format("{}\n  from opset  {}\n", full_name(op), op.first_opset());
  for (const KnownAttribute& attribute : op.attributes()) {
    text += fmt::format("  attribute   {}\n", attribute_text(attribute));
  }
  const bool judged = has_reference(op.domain(), op.type());
  return text + fmt::format("  reference   {}\n", judged ? "yes" : "none: frit verify refuses it");
}

/// The page doc/operators.md.
std::string page_of(const std::vector<const Operator*>& operators) {
  std::string text =
      "# Operators\n\nWritten by `frit ops --markdown`. Those of ONNX's own domain stand without "
      "one; "
      "of the\nothers, `frit` holds what expansions need. Attributes in brackets may be left "
      "out.\n\n| operator | from opset | attributes |\n|---|---|---|\n";
  for (const Operator* op : operators) {
    std::vector<std::string> attributes;
    for (const KnownAttribute& attribute : op->attributes()) {
      const bool optional = attribute.required_until == 0;
      attributes.push_back(fmt::format("{}{} {}{}", optional ? "[" : "", attribute.name,
                                       kind_text(attribute.kind), optional ? "]" : ""));
    }
    text += fmt::format("| {} | {} | {} |\n", full_name(*op), op->first_opset(),
                        fmt::join(attributes, ", "));
  }
  return text;
}

std::string table_of(const std::vector<const Operator*>& operators) {
  std::string text = fmt::format("{:<36} {}\n", "operator", "from opset");
  for (const Operator* op : operators) {
    text += fmt::format("{:<36} {}\n", full_name(*op), op->first_opset());
  }
  return text;
}

}  // namespace

ExitCode command_ops(const Options& options, Console& console) {
  const std::string& wanted = options.command.what;
  std::vector<const Operator*> chosen;
  for (const Operator* op : all_operators()) {
    if (wanted.empty() || wanted == full_name(*op) || wanted == op->type()) chosen.push_back(op);
  }
  if (chosen.empty()) {
    return console.reject(error(
        "cli-operator", fmt::format("there is no operator '{}'; frit ops lists all", wanted)));
  }
  if (console.json()) {
    Json list = Json::array();
    for (const Operator* op : chosen) list.push_back(json_of(*op));
    console.document({{"schema", "frit.ops/1"}, {"operators", std::move(list)}});
  } else if (options.command.markdown) {
    console.answer(page_of(chosen));
  } else if (wanted.empty()) {
    console.answer(table_of(chosen));
  } else {
    std::string text;
    for (const Operator* op : chosen) text += detail_of(*op);
    console.answer(text);
  }
  return ExitCode::kSuccess;
}

}  // namespace frit

#include "apps/frit/operator_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "ops/attributes.h"
#include "ops/reference/reference.h"

namespace frit {

const std::vector<std::pair<std::string, std::string>>& onnx_tables();  // cmake/embed.cmake

namespace {

using Json = nlohmann::json;

/// Of ONNX's own domain, else null.
const Json& onnx_facts(const Operator& op) {
  static const Json table = Json::parse(onnx_tables().at(0).second);
  static const Json none;
  const auto found = table.find(op.type());
  return op.domain().empty() && found != table.end() ? *found : none;
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

std::string line(std::string_view what, std::string_view fact) {
  return fmt::format("  {:<11} {}\n", what, fact);
}

std::string parameters_text(const char* what, const Json& parameters) {
  std::string text;
  for (const Json& one : parameters) {
    const auto kind = one.at("kind").get<std::string>();
    text +=
        line(what, fmt::format("{}{}: {}", one.at("name").get<std::string>(),
                               kind.empty() ? "" : ", " + kind,
                               fmt::join(one.at("types").get<std::vector<std::string>>(), " ")));
  }
  return text;
}

std::string indented(std::string_view formula) {
  std::string text = "  ";
  for (const char c : formula) text += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return text + "\n";
}

/// In a cell of a table: "|" ends it and "*" slants it.
std::string code_cell(std::string_view formula) {
  std::string text;
  for (const char c : formula) {
    text += c == '\n' ? std::string("`<br>`") : c == '|' ? std::string("\\|") : std::string(1, c);
  }
  return "`" + text + "`";
}

}  // namespace

std::string full_name(const Operator& op) {
  return (op.domain().empty() ? "" : std::string(op.domain()) + "::") + std::string(op.type());
}

nlohmann::json operator_json(const Operator& op) {
  Json attributes = Json::array(), required = Json::object();
  for (const KnownAttribute& attribute : op.attributes()) {
    attributes.push_back(attribute.name);
    if (attribute.required_until > 0) required[attribute.name] = attribute.required_until;
  }
  return {{"type", op.type()},
          {"domain", op.domain()},
          {"formula", op.formula()},
          {"first_opset", op.first_opset()},
          {"attributes", std::move(attributes)},
          {"required_until_opset", std::move(required)},
          {"reference", has_reference(op.domain(), op.type())},
          {"onnx", onnx_facts(op)}};
}

std::string operator_text(const Operator& op) {
  std::string text = full_name(op) + "\n" + indented(op.formula());
  text += line("from opset", std::to_string(op.first_opset()));
  const Json& onnx = onnx_facts(op);
  if (!onnx.is_null()) {
    const auto versions = onnx.at("versions").get<std::vector<int>>();
    text += line("in ONNX", fmt::format("defined anew at opset {}", fmt::join(versions, ", ")));
    text += parameters_text("input", onnx.at("inputs"));
    text += parameters_text("output", onnx.at("outputs"));
  }
  for (const KnownAttribute& attribute : op.attributes()) {
    text += line("attribute", attribute_text(attribute));
  }
  const bool judged = has_reference(op.domain(), op.type());
  text += line("reference", judged ? "yes" : "none: frit verify refuses it");
  if (onnx.is_null()) return text;
  const auto cases = onnx.at("cases").get<std::vector<std::string>>();
  text += line("node suite", fmt::format("{} cases", cases.size()));
  for (const std::string& name : cases) text += "    " + name + "\n";
  return text;
}

std::string operator_row(const Operator& op) {
  std::vector<std::string> attributes;
  for (const KnownAttribute& attribute : op.attributes()) {
    const bool optional = attribute.required_until == 0;
    attributes.push_back(fmt::format("{}{} {}{}", optional ? "[" : "", attribute.name,
                                     kind_text(attribute.kind), optional ? "]" : ""));
  }
  const Json& onnx = onnx_facts(op);
  const std::string versions =
      onnx.is_null()
          ? ""
          : fmt::format("{}", fmt::join(onnx.at("versions").get<std::vector<int>>(), " "));
  const std::string cases = onnx.is_null() ? "" : std::to_string(onnx.at("cases").size());
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", full_name(op), code_cell(op.formula()),
                     op.first_opset(), versions, fmt::join(attributes, ", "), cases);
}

}  // namespace frit

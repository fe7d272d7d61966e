#include "ops/attributes.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/operator.h"

namespace frit {
namespace {

using enum AttributeKind;
std::string_view words(AttributeKind kind) {
  switch (kind) {
    case kInt:
      return "an integer";
    case kFloat:
      return "a float";
    case kString:
      return "a string";
    case kInts:
      return "a list of integers";
    case kFloats:
      return "a list of floats";
    case kStrings:
      return "a list of strings";
    case kTensor:
      return "a tensor";
  }
  return "";
}

std::string names(const Attributes& list) {
  std::string text;
  for (const KnownAttribute& attribute : list) {
    text += (text.empty() ? "" : ", ") + std::string(attribute.name);
  }
  return text.empty() ? "it has none" : text;
}

}  // namespace

const Attributes& no_attributes() {
  static const Attributes none;
  return none;
}

const Attributes* known_attributes(std::string_view domain, std::string_view type) {
  const Operator* rule = find_operator(domain, type);
  return rule == nullptr ? nullptr : &rule->attributes();
}

std::vector<MissingAttribute> missing_attributes(std::string_view domain, std::string_view type,
                                                 int opset, const AttributeMap& attributes) {
  std::vector<MissingAttribute> faults;
  const Attributes* const list = known_attributes(domain, type);
  if (list == nullptr) return faults;
  for (const KnownAttribute& attribute : *list) {
    const std::string name(attribute.name);
    if (opset >= attribute.required_until || attributes.contains(name)) continue;
    faults.push_back(
        {name, fmt::format("{} of opset {} needs the attribute '{}' ({}) but the node has none; "
                           "add it",
                           type, opset, name, words(attribute.kind))});
  }
  return faults;
}

std::optional<std::string> attribute_fault(std::string_view domain, std::string_view type,
                                           std::string_view name, const Attribute& value) {
  const Attributes* const list = known_attributes(domain, type);
  if (list == nullptr) return std::nullopt;
  const auto known = std::find_if(list->begin(), list->end(),
                                  [&](const KnownAttribute& a) { return a.name == name; });
  if (known == list->end()) {
    return fmt::format("is none of {}'s ({}); rename it, or remove it if it has no effect", type,
                       names(*list));
  }
  const auto given = static_cast<AttributeKind>(value.index());
  if (given == known->kind) return std::nullopt;
  return fmt::format("is {} but {}'s is {}; write it as that", words(given), type,
                     words(known->kind));
}

}  // namespace frit

#include "ops/base/attribute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>
#include <utility>

namespace frit {
namespace {

template <class T>
T attribute_or(const AttributeMap& attributes, const std::string& name, T otherwise) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return otherwise;
  const T* value = std::get_if<T>(&found->second);
  return value ? *value : otherwise;
}

}  // namespace

std::int64_t int_attribute(const AttributeMap& attributes, const std::string& name,
                           std::int64_t otherwise) {
  return attribute_or(attributes, name, otherwise);
}
float float_attribute(const AttributeMap& attributes, const std::string& name, float otherwise) {
  return attribute_or(attributes, name, otherwise);
}
std::string string_attribute(const AttributeMap& attributes, const std::string& name,
                             std::string otherwise) {
  return attribute_or(attributes, name, std::move(otherwise));
}
std::vector<std::int64_t> ints_attribute(const AttributeMap& attributes, const std::string& name,
                                         std::vector<std::int64_t> otherwise) {
  return attribute_or(attributes, name, std::move(otherwise));
}
bool has_attribute(const AttributeMap& attributes, const std::string& name) {
  return attributes.contains(name);
}

std::string to_text(const Attribute& attribute) {
  return std::visit(
      [](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::string>) {
          return fmt::format("\"{}\"", value);
        } else if constexpr (std::is_same_v<T, Tensor>) {
          return "tensor " + to_text(value.type());
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          return fmt::format("[\"{}\"]", fmt::join(value, "\",\""));
        } else if constexpr (std::is_arithmetic_v<T>) {
          return fmt::format("{}", value);
        } else {
          return fmt::format("[{}]", fmt::join(value, ","));
        }
      },
      attribute);
}

}  // namespace frit

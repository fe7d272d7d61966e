// Attributes of a node, as ONNX writes them, and typed look-ups with defaults.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "ops/base/tensor.h"

namespace frit {

using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>,
                               std::vector<float>, std::vector<std::string>, Tensor>;

/// Sorted by name, so that everything printed from it repeats.
using AttributeMap = std::map<std::string, Attribute>;

/// The attribute when present and of that type, else the default.
std::int64_t int_attribute(const AttributeMap& attributes, const std::string& name,
                           std::int64_t otherwise);
float float_attribute(const AttributeMap& attributes, const std::string& name, float otherwise);
std::string string_attribute(const AttributeMap& attributes, const std::string& name,
                             std::string otherwise);
std::vector<std::int64_t> ints_attribute(const AttributeMap& attributes, const std::string& name,
                                         std::vector<std::int64_t> otherwise);
bool has_attribute(const AttributeMap& attributes, const std::string& name);

/// "3", "[1,1]", "0.5", "\"SAME_UPPER\"", "tensor f32[3]"
std::string to_text(const Attribute& attribute);

}  // namespace frit

// Attributes of an operator, by name and kind: what the importer holds a model to. Each class lists
// its own (Operator::attributes).
//
// An attribute that frit would not read is a wrong result, so a model that has one is refused; so
// is one that lacks an attribute for which ONNX has no default. Listed are those of ONNX from the
// oldest opset accepted (7) on; tests/ops/attributes_test.py compares with the onnx package.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/base/attribute.h"

namespace frit {

/// In the order of Attribute's alternatives.
enum class AttributeKind : std::uint8_t {
  kInt,
  kFloat,
  kString,
  kInts,
  kFloats,
  kStrings,
  kTensor
};

inline constexpr int kAlways = std::numeric_limits<int>::max();

struct KnownAttribute {
  std::string_view name;
  AttributeKind kind;
  /// Models of older opsets must have it (kAlways: all must); later it is an input or has a
  /// default.
  int required_until = 0;
};

/// Those of one operator, sorted by name.
using Attributes = std::vector<KnownAttribute>;
/// The empty list.
const Attributes& no_attributes();

/// Of an operator of the registry, else nullptr.
const Attributes* known_attributes(std::string_view domain, std::string_view type);

/// Where `type` has no attribute `name`, or has it of another kind: what to say after its name.
/// nullopt for an operator that is not in the registry.
std::optional<std::string> attribute_fault(std::string_view domain, std::string_view type,
                                           std::string_view name, const Attribute& value);

struct MissingAttribute {
  std::string name, fault;
};
/// Each attribute that `opset` requires of `type` and `attributes` has not, with a sentence of it.
std::vector<MissingAttribute> missing_attributes(std::string_view domain, std::string_view type,
                                                 int opset, const AttributeMap& attributes);

}  // namespace frit

#include "ops/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ops/operator.h"

namespace frit {
namespace {

using enum AttributeKind;
using List = std::vector<KnownAttribute>;

// Families that share their attributes.
const List kNothing = {};
const List kAxis = {{"axis", kInt}};
const List kRequiredAxis = {{"axis", kInt, kAlways}};
const List kReduce = {{"axes", kInts}, {"keepdims", kInt}, {"noop_with_empty_axes", kInt}};
const List kNormalisation = {{"axis", kInt}, {"epsilon", kFloat}, {"stash_type", kInt}};
const List kBlocks = {{"blocksize", kInt, kAlways}, {"mode", kString}};

const std::map<std::string_view, List>& table() {
  static const std::map<std::string_view, List> all = {
      {"Add", kNothing},
      {"And", kNothing},
      {"AveragePool",
       {{"auto_pad", kString},
        {"ceil_mode", kInt},
        {"count_include_pad", kInt},
        {"dilations", kInts},
        {"kernel_shape", kInts, kAlways},
        {"pads", kInts},
        {"strides", kInts}}},
      {"BatchNormalization",
       {{"epsilon", kFloat}, {"momentum", kFloat}, {"spatial", kInt}, {"training_mode", kInt}}},
      {"Clip", {{"max", kFloat}, {"min", kFloat}}},
      {"Concat", kRequiredAxis},
      {"Constant",
       {{"value", kTensor},
        {"value_float", kFloat},
        {"value_floats", kFloats},
        {"value_int", kInt},
        {"value_ints", kInts}}},
      {"ConstantOfShape", {{"value", kTensor}}},
      {"Conv",
       {{"auto_pad", kString},
        {"dilations", kInts},
        {"group", kInt},
        {"kernel_shape", kInts},
        {"pads", kInts},
        {"strides", kInts}}},
      {"ConvTranspose",
       {{"auto_pad", kString},
        {"dilations", kInts},
        {"group", kInt},
        {"kernel_shape", kInts},
        {"output_padding", kInts},
        {"output_shape", kInts},
        {"pads", kInts},
        {"strides", kInts}}},
      {"DepthToSpace", kBlocks},
      {"Div", kNothing},
      {"Equal", kNothing},
      {"Expand", kNothing},
      {"Flatten", kAxis},
      {"Gather", kAxis},
      {"Gelu", {{"approximate", kString}}},
      {"Gemm", {{"alpha", kFloat}, {"beta", kFloat}, {"transA", kInt}, {"transB", kInt}}},
      {"GlobalAveragePool", kNothing},
      {"GlobalMaxPool", kNothing},
      {"Greater", kNothing},
      {"GreaterOrEqual", kNothing},
      {"LRN", {{"alpha", kFloat}, {"beta", kFloat}, {"bias", kFloat}, {"size", kInt, kAlways}}},
      {"LayerNormalization", kNormalisation},
      {"Less", kNothing},
      {"LessOrEqual", kNothing},
      {"LogSoftmax", kAxis},
      {"MatMul", kNothing},
      {"Max", kNothing},
      {"MaxPool",
       {{"auto_pad", kString},
        {"ceil_mode", kInt},
        {"dilations", kInts},
        {"kernel_shape", kInts, kAlways},
        {"pads", kInts},
        {"storage_order", kInt},
        {"strides", kInts}}},
      {"Mean", kNothing},
      {"Min", kNothing},
      {"Mul", kNothing},
      {"Or", kNothing},
      {"Pad", {{"mode", kString}, {"pads", kInts, 11}, {"value", kFloat}}},
      {"Pow", kNothing},
      {"RMSNormalization", kNormalisation},
      {"Range", {{"stash_type", kInt}}},
      {"ReduceL1", kReduce},
      {"ReduceL2", kReduce},
      {"ReduceLogSum", kReduce},
      {"ReduceLogSumExp", kReduce},
      {"ReduceMax", kReduce},
      {"ReduceMean", kReduce},
      {"ReduceMin", kReduce},
      {"ReduceProd", kReduce},
      {"ReduceSum", kReduce},
      {"ReduceSumSquare", kReduce},
      {"Reshape", {{"allowzero", kInt}}},
      {"Resize",
       {{"antialias", kInt},
        {"axes", kInts},
        {"coordinate_transformation_mode", kString},
        {"cubic_coeff_a", kFloat},
        {"exclude_outside", kInt},
        {"extrapolation_value", kFloat},
        {"keep_aspect_ratio_policy", kString},
        {"mode", kString},
        {"nearest_mode", kString}}},
      {"Shape", {{"end", kInt}, {"start", kInt}}},
      {"Size", kNothing},
      {"Slice", {{"axes", kInts}, {"ends", kInts, 10}, {"starts", kInts, 10}}},
      {"Softmax", kAxis},
      {"SpaceToDepth", kBlocks},
      {"Split", {{"axis", kInt}, {"num_outputs", kInt}, {"split", kInts}}},
      {"Squeeze", {{"axes", kInts}}},
      {"Sub", kNothing},
      {"Sum", kNothing},
      {"Tile", kNothing},
      {"Transpose", {{"perm", kInts}}},
      {"Unsqueeze", {{"axes", kInts, 13}}},
      {"Upsample", {{"mode", kString}, {"scales", kFloats, 9}}},
      {"Where", kNothing},
      {"Xor", kNothing},
  };
  return all;
}

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

std::string names(const List& list) {
  std::string text;
  for (const KnownAttribute& attribute : list) {
    text += (text.empty() ? "" : ", ") + std::string(attribute.name);
  }
  return text.empty() ? "it has none" : text;
}

}  // namespace

const std::vector<KnownAttribute>* known_attributes(std::string_view domain,
                                                    std::string_view type) {
  const Operator* rule = find_operator(domain, type);
  if (rule != nullptr && rule->attributes() != nullptr) return rule->attributes();
  const auto found = table().find(type);
  return domain.empty() && found != table().end() ? &found->second : nullptr;
}

std::vector<MissingAttribute> missing_attributes(std::string_view domain, std::string_view type,
                                                 int opset, const AttributeMap& attributes) {
  std::vector<MissingAttribute> faults;
  const List* const list = known_attributes(domain, type);
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
  const List* const list = known_attributes(domain, type);
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

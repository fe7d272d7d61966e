// The frit text form of a graph:
//
//   graph "main"
//   input x f32[1,3,8,8]
//   const w f32[4,3,3,3]
//   const two f32[] = 2
//   y f32[1,4,8,8] = Conv(x, w) group=1 pads=[1,1,1,1] @conv1
//   z f32[1,4,8,8] = Relu(y) @relu1 from relu1, mul7
//   output z
//
// Names that are not plain words stand in double quotes. Constants that nothing reads are left out;
// small ones show their values. "@" is the node's name, "from" its ONNX nodes where they differ.
#include <fmt/format.h>

#include <cctype>
#include <set>

#include "generators/graph/graph.h"
#include "ops/base/printable.h"

namespace frit {
namespace {

constexpr std::int64_t kMostShown = 8;

std::string name_text(const std::string& name) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) || c >= 0x80 ||
           std::string_view("_./#:-").find(static_cast<char>(c)) != std::string_view::npos;
  };
  bool quote = name.empty() || name == "_";
  for (const char c : name) quote = quote || !plain(static_cast<unsigned char>(c));
  for (std::size_t at = 0; at < name.size() && !quote;) {
    const std::size_t length = printable_length(name, at);
    quote = length == 0;
    at += length;
  }
  return quote ? in_quotes(name) : name;
}

std::string elements_text(const Tensor& tensor) {
  std::string text;
  const auto append = [&](const auto& values) {
    for (const auto value : values) text += (text.empty() ? "" : ",") + fmt::format("{}", value);
  };
  if (tensor.dtype() == DType::kF32) {
    append(tensor.data<float>());  // shortest text that reads back: not the double's
  } else if (is_float(tensor.dtype())) {
    append(tensor.to_doubles());
  } else {
    append(tensor.to_ints());
  }
  return tensor.rank() == 0 ? text : "[" + text + "]";
}

std::string values_text(const Graph& graph, const std::vector<ValueId>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += values[i] == kNone ? "_" : name_text(graph.value(values[i]).name);
  }
  return text;
}

std::string attribute_text(const Attribute& attribute) {
  const auto* tensor = std::get_if<Tensor>(&attribute);
  if (tensor != nullptr && tensor->elements() <= kMostShown) {
    return to_text(tensor->type()) + ":" + elements_text(*tensor);
  }
  return to_text(attribute);
}

std::string node_text(const Graph& graph, const Node& node) {
  std::string text;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (i > 0) text += ", ";
    if (node.outputs[i] == kNone) {
      text += "_";
      continue;
    }
    const Value& value = graph.value(node.outputs[i]);
    text += name_text(value.name) + " " + to_text(value.type);
  }
  text += fmt::format(" = {}{}({})", node.domain.empty() ? "" : node.domain + ".", node.type,
                      values_text(graph, node.inputs));
  for (const auto& [name, attribute] : node.attributes) {
    text += fmt::format(" {}={}", name, attribute_text(attribute));
  }
  for (const Region& region : node.regions) {
    text += fmt::format(" {}={{{} nodes}}", region.attribute, region.body->nodes().size());
  }
  text += " @" + name_text(node.name);
  if (node.origins == std::vector{node.name}) return text;
  for (std::size_t i = 0; i < node.origins.size(); ++i) {
    text += (i == 0 ? " from " : ", ") + name_text(node.origins[i]);
  }
  return text;
}

}  // namespace

std::string to_text(const Graph& graph) {
  std::string text = "graph " + name_text(graph.name) + "\n";
  for (const ValueId input : graph.inputs) {
    const Value& value = graph.value(input);
    text += fmt::format("input {} {}\n", name_text(value.name), to_text(value.type));
  }
  std::set<ValueId> read(graph.outputs.begin(), graph.outputs.end());
  for (const Node& node : graph.nodes()) read.insert(node.inputs.begin(), node.inputs.end());
  for (const ValueId id : read) {
    if (id == kNone) continue;
    const Value& value = graph.value(id);
    if (!value.constant || value.producer != kNone) continue;
    text += fmt::format("const {} {}", name_text(value.name), to_text(value.type));
    if (value.type.elements() <= kMostShown) text += " = " + elements_text(*value.constant);
    text += '\n';
  }
  for (const Node& node : graph.nodes()) text += node_text(graph, node) + "\n";
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const std::string& inside = graph.value(graph.outputs[i]).name;
    text += fmt::format("output {}", name_text(inside));
    if (graph.output_name(i) != inside) text += " as " + name_text(graph.output_name(i));
    text += '\n';
  }
  return text;
}

}  // namespace frit

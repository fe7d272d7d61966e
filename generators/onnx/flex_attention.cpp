#include "generators/onnx/flex_attention.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <algorithm>
#include <set>
#include <string>

#include "generators/onnx/names.h"

namespace frit {
namespace {

constexpr const char* kScoreMod = "score_mod";
constexpr const char* kProbMod = "prob_mod";

const onnx::AttributeProto* attribute_of(const onnx::NodeProto& node, const std::string& name) {
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.name() == name && attribute.has_g()) return &attribute;
  }
  return nullptr;
}

bool has_modifier(const onnx::NodeProto& node) {
  return node.domain() == "ai.onnx.preview" && node.op_type() == "FlexAttention" &&
         (attribute_of(node, kScoreMod) != nullptr || attribute_of(node, kProbMod) != nullptr);
}

/// Names that a body gives; those that it only reads are of the graph around it.
std::set<std::string> names_given(const onnx::GraphProto& body) {
  std::set<std::string> names;
  for (const auto& input : body.input()) names.insert(input.name());
  for (const auto& tensor : body.initializer()) names.insert(tensor.name());
  for (const auto& tensor : body.sparse_initializer()) names.insert(tensor.values().name());
  for (const auto& node : body.node()) names.insert(node.output().begin(), node.output().end());
  return names;
}

/// Appends nodes to a graph in place of one.
class Writer {
 public:
  Writer(const onnx::NodeProto& node, int position, onnx::GraphProto& graph)
      : node_(node),
        label_(node_label(node.name(), node.op_type(), position)),
        prefix_(node.output_size() > 0 ? node.output(0) : node.name()),
        graph_(graph) {}

  Status write() {
    if (node_.input_size() != 3 || node_.output_size() != 1) {
      return fail("onnx-type", fmt::format("{} has {} inputs and {} outputs but takes 3 to 1; "
                                           "correct the model",
                                           label_, node_.input_size(), node_.output_size()));
    }
    std::string value = prefix_ + "/scores";
    onnx::NodeProto& scores = add("FlexAttentionScores", {node_.input(0), node_.input(1)}, value);
    for (const onnx::AttributeProto& attribute : node_.attribute()) {
      if (attribute.name() == kScoreMod || attribute.name() == kProbMod) continue;
      *scores.add_attribute() = attribute;
    }
    FRIT_TRY(write_body(kScoreMod, value));
    const std::string probabilities = prefix_ + "/probabilities";
    onnx::NodeProto& softmax = add("Softmax", {value}, probabilities);
    softmax.clear_domain();
    onnx::AttributeProto& axis = *softmax.add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    axis.set_i(3);
    value = probabilities;
    FRIT_TRY(write_body(kProbMod, value));
    add("FlexAttentionValues", {value, node_.input(2)}, node_.output(0));
    return {};
  }

 private:
  onnx::NodeProto& add(const char* type, const std::vector<std::string>& inputs,
                       const std::string& output) {
    onnx::NodeProto& node = *graph_.add_node();
    node.set_domain("frit");
    node.set_op_type(type);
    node.set_name(node_.name());
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
    return node;
  }

  /// The body's nodes, reading `value`, which becomes their result.
  Status write_body(const std::string& attribute, std::string& value) {
    const onnx::AttributeProto* found = attribute_of(node_, attribute);
    if (found == nullptr) return {};
    const onnx::GraphProto& body = found->g();
    if (body.input_size() != 1 || body.output_size() != 1) {
      return fail("onnx-attribute",
                  fmt::format("{}: its {} has {} inputs and {} outputs but takes one to one; "
                              "correct the graph",
                              label_, attribute, body.input_size(), body.output_size()));
    }
    given_ = names_given(body);
    place_ = prefix_ + "/" + attribute + "/";
    alias(value, inner(body.input(0).name()));
    for (const onnx::TensorProto& tensor : body.initializer()) write_constant(tensor);
    for (const onnx::SparseTensorProto& tensor : body.sparse_initializer()) {
      onnx::AttributeProto& held = constant(tensor.values().name(), "sparse_value");
      held.set_type(onnx::AttributeProto::SPARSE_TENSOR);
      *held.mutable_sparse_tensor() = tensor;
    }
    for (const onnx::NodeProto& node : body.node()) {
      onnx::NodeProto& copy = *graph_.add_node();
      copy = node;
      if (!node.name().empty()) copy.set_name(place_ + node.name());
      for (std::string& name : *copy.mutable_input()) name = inner(name);
      for (std::string& name : *copy.mutable_output()) name = inner(name);
    }
    value = inner(body.output(0).name());
    return {};
  }

  void alias(const std::string& from, const std::string& to) {
    onnx::NodeProto& copy = *graph_.add_node();
    copy.set_op_type("Identity");
    copy.add_input(from);
    copy.add_output(to);
  }

  onnx::AttributeProto& constant(const std::string& name, const char* attribute) {
    onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type("Constant");
    node.add_output(inner(name));
    onnx::AttributeProto& held = *node.add_attribute();
    held.set_name(attribute);
    return held;
  }

  void write_constant(const onnx::TensorProto& tensor) {
    onnx::AttributeProto& held = constant(tensor.name(), "value");
    held.set_type(onnx::AttributeProto::TENSOR);
    *held.mutable_t() = tensor;
  }

  std::string inner(const std::string& name) const {
    return given_.contains(name) && !name.empty() ? place_ + name : name;
  }

  const onnx::NodeProto& node_;
  std::string label_, prefix_;
  onnx::GraphProto& graph_;
  std::set<std::string> given_;
  std::string place_;
};

}  // namespace

Status inline_flex_attention(onnx::ModelProto& model) {
  const auto& nodes = model.graph().node();
  if (std::none_of(nodes.begin(), nodes.end(), has_modifier)) return {};
  onnx::GraphProto old;
  old.mutable_node()->Swap(model.mutable_graph()->mutable_node());
  for (int i = 0; i < old.node_size(); ++i) {
    if (!has_modifier(old.node(i))) {
      model.mutable_graph()->add_node()->Swap(old.mutable_node(i));
    } else {
      FRIT_TRY(Writer(old.node(i), i, *model.mutable_graph()).write());
    }
  }
  return {};
}

}  // namespace frit

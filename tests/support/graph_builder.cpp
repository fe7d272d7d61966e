#include "tests/support/graph_builder.h"

#include <stdexcept>

#include "generators/passes/rewrite.h"

namespace frit {

ValueId GraphBuilder::input(const std::string& name, std::vector<std::int64_t> dims, DType dtype) {
  Value value;
  value.name = name;
  value.type = TensorType(dtype, dims);
  const ValueId id = graph_.add_value(std::move(value));
  graph_.inputs.push_back(id);
  return id;
}

ValueId GraphBuilder::constant(const std::string& name, Tensor tensor) {
  Value value;
  value.name = name;
  value.type = tensor.type();
  value.constant = std::move(tensor);
  return graph_.add_value(std::move(value));
}

ValueId GraphBuilder::constant(const std::string& name, std::vector<std::int64_t> dims) {
  std::vector<float> values(static_cast<std::size_t>(TensorType(DType::kF32, dims).elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 0.125F * (static_cast<float>((i * 7 + name.size() * 3) % 13) - 6.0F);
  }
  return constant(name, Tensor::f32(std::move(dims), values));
}

ValueId GraphBuilder::add(const std::string& type, const std::string& name,
                          std::vector<ValueId> inputs, AttributeMap attributes, int outputs) {
  Node node;
  node.type = type;
  node.name = name;
  node.opset = opset_;
  node.attributes = std::move(attributes);
  node.inputs = std::move(inputs);
  node.origins = {name};
  for (int i = 0; i < outputs; ++i) {
    Value value;
    value.name = i == 0 ? name : name + "_" + std::to_string(i);
    node.outputs.push_back(graph_.add_value(std::move(value)));
  }
  const Operator* rule = find_operator("", type);
  if (rule == nullptr) throw std::runtime_error("no operator " + type);
  OpInstance op = graph_.instance(node);
  op.outputs.clear();
  op.outputs.resize(node.outputs.size());
  auto types = rule->infer(op);
  if (!types) throw std::runtime_error(to_text(types.error()));
  op.outputs = *types;
  auto status = rule->canonicalise(op);
  if (!status) throw std::runtime_error(to_text(status.error()));
  take_canonical(graph_, node, std::move(op));
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    graph_.value(node.outputs[i]).type = (*types)[i];
  }
  const std::vector<ValueId> made = node.outputs;
  graph_.add_node(std::move(node));
  return made[0];
}

ValueId GraphBuilder::conv(const std::string& name, ValueId x, std::int64_t channels,
                           std::int64_t kernel, std::int64_t stride, std::int64_t group) {
  const std::int64_t c = graph_.value(x).type.dims()[1];
  const ValueId w = constant(name + ".w", {channels, c / group, kernel, kernel});
  const ValueId b = constant(name + ".b", {channels});
  const std::int64_t pad = kernel / 2;
  return add("Conv", name, {x, w, b},
             {{"kernel_shape", std::vector<std::int64_t>{kernel, kernel}},
              {"strides", std::vector<std::int64_t>{stride, stride}},
              {"pads", std::vector<std::int64_t>{pad, pad, pad, pad}},
              {"group", group}});
}

std::vector<ValueId> GraphBuilder::outputs_of(const std::string& node_name) const {
  for (const Node& node : graph_.nodes()) {
    if (node.name == node_name) return node.outputs;
  }
  throw std::runtime_error("no node " + node_name);
}

}  // namespace frit

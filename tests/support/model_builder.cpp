#include "tests/support/model_builder.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "ops/base/diagnostic.h"
#include "ops/reference/reference.h"

namespace frit::testing {
namespace {

void set_value(onnx::AttributeProto& attribute, const AttributeValue& value) {
  using Proto = onnx::AttributeProto;
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    attribute.set_type(Proto::INT);
    attribute.set_i(*number);
  } else if (const auto* real = std::get_if<float>(&value)) {
    attribute.set_type(Proto::FLOAT);
    attribute.set_f(*real);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    attribute.set_type(Proto::STRING);
    attribute.set_s(*text);
  } else if (const auto* ints = std::get_if<Ints>(&value)) {
    attribute.set_type(Proto::INTS);
    for (const std::int64_t element : *ints) attribute.add_ints(element);
  } else {
    attribute.set_type(Proto::FLOATS);
    for (const float element : std::get<Floats>(value)) attribute.add_floats(element);
  }
}

std::size_t count_of(const Ints& dims) {
  std::size_t count = 1;
  for (const std::int64_t extent : dims) count *= static_cast<std::size_t>(extent);
  return count;
}

RefTensor filled(const Value& value, double spread) {
  const auto count = static_cast<std::size_t>(value.type.elements());
  RefTensor tensor;
  tensor.dtype = value.type.dtype;
  tensor.dims = value.type.dims();
  for (std::size_t i = 0; i < count; ++i) {
    const double element = spread * static_cast<double>(sample(value.name, i));
    if (is_float(value.type.dtype)) {
      tensor.real.push_back(element);
    } else {
      tensor.integer.push_back(
          value.type.dtype == DType::kBool ? element > 0 : static_cast<std::int64_t>(element));
    }
  }
  return tensor;
}

}  // namespace

float sample(const std::string& name, std::size_t n) {
  std::uint64_t state = 1469598103934665603ULL + n * 0x9E3779B97F4A7C15ULL;
  for (const char c : name) state = (state ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  state ^= state >> 29;
  state *= 0xBF58476D1CE4E5B9ULL;
  state ^= state >> 32;
  return static_cast<float>(static_cast<double>(state >> 40) / static_cast<double>(1 << 23)) - 1.0F;
}

ModelBuilder::ModelBuilder(int opset) {
  model_.set_ir_version(8);
  onnx::OperatorSetIdProto* import = model_.add_opset_import();
  import->set_domain("");
  import->set_version(opset);
  graph().set_name("main");
}

ModelBuilder& ModelBuilder::input(const std::string& name, const Ints& dims, int dtype) {
  onnx::ValueInfoProto* info = graph().add_input();
  info->set_name(name);
  auto* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(dtype);
  auto* shape = tensor->mutable_shape();
  for (const std::int64_t extent : dims) {
    auto* dim = shape->add_dim();
    if (extent >= 0) dim->set_dim_value(extent);
  }
  return *this;
}

ModelBuilder& ModelBuilder::output(const std::string& name) {
  graph().add_output()->set_name(name);
  return *this;
}

ModelBuilder& ModelBuilder::node(const std::string& type, const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs,
                                 const std::vector<NamedAttribute>& attributes,
                                 const std::string& name) {
  onnx::NodeProto* node = graph().add_node();
  node->set_op_type(type);
  node->set_name(name);
  for (const std::string& value : inputs) node->add_input(value);
  for (const std::string& value : outputs) node->add_output(value);
  for (const NamedAttribute& named : attributes) {
    onnx::AttributeProto* attribute = node->add_attribute();
    attribute->set_name(named.name);
    set_value(*attribute, named.value);
  }
  return *this;
}

ModelBuilder& ModelBuilder::constant(const std::string& name, const Ints& dims,
                                     const Floats& values) {
  onnx::TensorProto* tensor = graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : dims) tensor->add_dims(extent);
  for (const float value : values) tensor->add_float_data(value);
  return *this;
}

ModelBuilder& ModelBuilder::constant(const std::string& name, const Ints& values) {
  onnx::TensorProto* tensor = graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::INT64);
  tensor->add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values) tensor->add_int64_data(value);
  return *this;
}

ModelBuilder& ModelBuilder::weights(const std::string& name, const Ints& dims) {
  Floats values(count_of(dims));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = sample(name, i);
  return constant(name, dims, values);
}

ModelBuilder& ModelBuilder::positive(const std::string& name, const Ints& dims) {
  Floats values(count_of(dims));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0F + sample(name, i) / 2.0F;
  return constant(name, dims, values);
}

std::string ModelBuilder::bytes() const { return model_.SerializeAsString(); }

Graph ModelBuilder::imported(const ImportOptions& options) const {
  auto graph = import_model_bytes(bytes(), "test.onnx", options);
  if (!graph) throw std::runtime_error(refusal(options));
  return std::move(*graph);
}

std::string ModelBuilder::refusal(const ImportOptions& options) const {
  const auto graph = import_model_bytes(bytes(), "test.onnx", options);
  std::string text;
  if (!graph) {
    for (const Diagnostic& fault : graph.error()) text += to_text(fault) + "\n";
  }
  return text;
}

std::map<std::string, std::vector<double>> outputs_of(const Graph& graph, double spread) {
  std::map<ValueId, RefTensor> values;
  for (const ValueId input : graph.inputs) values[input] = filled(graph.value(input), spread);
  const auto value_of = [&](ValueId id) -> const RefTensor* {
    if (id == kNone) return nullptr;
    if (!values.contains(id)) values[id] = RefTensor::from(graph.value(id).constant.value());
    return &values[id];
  };
  for (const Node& node : graph.nodes()) {
    std::vector<const RefTensor*> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(value_of(input));
    auto results = evaluate_reference(graph.instance(node), inputs, RefPrecision::kDouble);
    if (!results) throw std::runtime_error(to_text(results.error()));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNone) values[node.outputs[i]] = std::move((*results)[i]);
    }
  }
  std::map<std::string, std::vector<double>> outputs;
  for (const ValueId id : graph.outputs) {
    const RefTensor& result = *value_of(id);
    std::vector<double> elements = result.real;
    elements.insert(elements.end(), result.integer.begin(), result.integer.end());
    outputs[graph.value(id).name] = std::move(elements);
  }
  return outputs;
}

double distance(const std::map<std::string, std::vector<double>>& a,
                const std::map<std::string, std::vector<double>>& b) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  if (a.size() != b.size()) return kFar;
  double worst = 0;
  for (const auto& [name, left] : a) {
    if (!b.contains(name) || b.at(name).size() != left.size()) return kFar;
    double largest = 0;
    double difference = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const double right = b.at(name)[i];
      if (std::isnan(left[i]) != std::isnan(right)) return kFar;
      if (std::isnan(left[i]) || left[i] == right) continue;
      largest = std::max(largest, std::abs(left[i]));
      difference = std::max(difference, std::abs(left[i] - right));
    }
    if (difference > 0) worst = std::max(worst, difference / largest);
  }
  return worst;
}

std::string types_of(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes()) text += (text.empty() ? "" : " ") + node.type;
  return text;
}

}  // namespace frit::testing

#include "generators/verify/random_graph.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "generators/verify/random_builder.h"

namespace frit {

RandomBuilder::RandomBuilder(std::uint64_t seed, const RandomGraphOptions& options)
    : options_(options), random_(seed * 0x9E3779B97F4A7C15u + 1) {
  graph_.name = "random_" + std::to_string(seed);
}

std::string RandomBuilder::next_name(const char* prefix) {
  return prefix + std::to_string(names_++);
}

void RandomBuilder::add_input(const std::vector<std::int64_t>& dims) {
  const TensorType type(DType::kF32, dims);
  const ValueId id = graph_.add_value({next_name("x"), type, {}, kNone});
  graph_.inputs.push_back(id);
  RefTensor data = RefTensor::from(test_tensor(type, DataKind::kRandom, random_.next()));
  values_[id] = data;
  inputs_[id] = std::move(data);
  reals_.push_back(id);
}

bool RandomBuilder::acceptable(const RefTensor& tensor) const {
  const std::int64_t elements = tensor.elements();
  if (elements == 0 || elements > options_.most_elements || tensor.dims.size() > 5) return false;
  double size = 0.0;
  for (const double value : tensor.real) {
    if (!std::isfinite(value)) return false;
    size = std::max(size, std::fabs(value));
  }
  if (size > options_.most_size) return false;
  for (const double bound : tensor.bound) {
    if (!(bound <= options_.most_error * std::max(size, 1e-3))) return false;
  }
  return true;
}

std::optional<std::vector<ValueId>> RandomBuilder::add(const std::string& type,
                                                       const std::vector<Proposed>& inputs,
                                                       AttributeMap attributes,
                                                       std::size_t outputs) {
  std::vector<RefTensor> constants(inputs.size());
  std::vector<const RefTensor*> pointers;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].constant) constants[i] = RefTensor::from(*inputs[i].constant);
    const bool omitted = !inputs[i].constant && inputs[i].id == kNone;
    pointers.push_back(omitted              ? nullptr
                       : inputs[i].constant ? &constants[i]
                                            : &values_.at(inputs[i].id));
  }
  OpInstance op;
  op.type = type;
  op.opset = options_.opset;
  op.attributes = attributes;
  op.outputs.resize(outputs);
  const auto results = evaluate_reference(op, pointers, RefPrecision::kDoubleBounded);
  if (!results) return std::nullopt;
  for (const RefTensor& result : *results) {
    if (!acceptable(result)) return std::nullopt;
  }
  Node node;
  node.type = type;
  node.opset = options_.opset;
  node.attributes = std::move(attributes);
  node.name = next_name((type + "_").c_str());
  node.origins = {node.name};
  for (const Proposed& input : inputs) {
    node.inputs.push_back(input.constant ? graph_.add_value({next_name("c"), input.constant->type(),
                                                             input.constant, kNone})
                                         : input.id);
  }
  for (const RefTensor& result : *results) {
    const TensorType found(result.dtype, result.dims);
    const ValueId id = graph_.add_value({next_name("v"), found, {}, kNone});
    values_[id] = result;
    node.outputs.push_back(id);
    if (is_float(result.dtype)) reals_.push_back(id);
    if (result.dtype == DType::kBool) bools_.push_back(id);
  }
  std::vector<ValueId> made = node.outputs;
  graph_.add_node(std::move(node));
  return made;
}

std::optional<ValueId> RandomBuilder::add_one(const std::string& type,
                                              const std::vector<Proposed>& inputs,
                                              AttributeMap attributes) {
  const auto made = add(type, inputs, std::move(attributes));
  return made ? std::optional(made->front()) : std::nullopt;
}

ValueId RandomBuilder::any_real() {
  return random_.chance(0.6) ? reals_.back() : random_.pick(reals_);
}

std::optional<ValueId> RandomBuilder::real_where(
    const std::function<bool(const std::vector<std::int64_t>&)>& fits) {
  std::vector<ValueId> found;
  for (const ValueId id : reals_) {
    if (fits(dims(id))) found.push_back(id);
  }
  if (found.empty()) return std::nullopt;
  return random_.chance(0.6) ? found.back() : random_.pick(found);
}

std::optional<ValueId> RandomBuilder::real_of_rank(std::size_t rank) {
  return real_where([rank](const std::vector<std::int64_t>& dims) { return dims.size() == rank; });
}

std::optional<ValueId> RandomBuilder::any_bool() {
  if (bools_.empty()) return std::nullopt;
  return random_.pick(bools_);
}

Tensor RandomBuilder::floats(const std::vector<std::int64_t>& dims, double low, double high) {
  std::vector<float> values(static_cast<std::size_t>(TensorType(DType::kF32, dims).elements()));
  for (float& value : values) value = static_cast<float>(random_.uniform(low, high));
  return Tensor::f32(dims, values);
}

Tensor RandomBuilder::ints(const std::vector<std::int64_t>& values) {
  return Tensor::i64({static_cast<std::int64_t>(values.size())}, values);
}

std::int64_t RandomBuilder::any_axis(std::size_t rank) {
  const auto axes = static_cast<std::int64_t>(rank);
  const std::int64_t axis = random_.integer(0, axes - 1);
  return random_.chance(0.3) ? axis - axes : axis;
}

RandomGraph RandomBuilder::finish() {
  std::set<ValueId> read;
  for (const Node& node : graph_.nodes()) read.insert(node.inputs.begin(), node.inputs.end());
  for (const ValueId id : computed_values(graph_)) {
    // what nothing reads is an output, and so is one other value in eight
    if (!read.contains(id) || random_.chance(0.125)) graph_.outputs.push_back(id);
  }
  return {std::move(graph_), std::move(inputs_)};
}

namespace {

std::vector<std::int64_t> random_dims(Random& random) {
  static const std::vector<std::int64_t> kChannels{1, 2, 3, 5, 7, 8, 16, 17, 24, 31};
  static const std::vector<std::int64_t> kSpace{1, 2, 3, 5, 7, 8, 9, 11, 13, 16};
  static const std::vector<std::int64_t> kLength{1, 2, 5, 7, 8, 15, 16, 17, 31, 33, 64, 97};
  switch (random.integer(0, 5)) {
    case 0:
      return {random.pick(kLength), random.pick(kLength)};
    case 1:
      return {random.integer(1, 2), random.pick(kSpace), random.pick(kLength)};
    case 2:
      return {random.pick(kLength)};
    default:
      return {random.chance(0.8) ? 1 : 2, random.pick(kChannels), random.pick(kSpace),
              random.pick(kSpace)};
  }
}

// Picks a maker with probability proportional to its weight.
const RandomMaker& pick_maker(Random& random, const std::vector<RandomMaker>& makers, int total) {
  std::int64_t at = random.integer(0, total - 1);
  for (const RandomMaker& maker : makers) {
    at -= maker.weight;
    if (at < 0) return maker;
  }
  return makers.back();
}

const std::vector<RandomMaker>& all_makers() {
  static const std::vector<RandomMaker> makers = [] {
    std::vector<RandomMaker> all;
    for (const auto* family : {&random_pointwise_makers(), &random_reduction_makers(),
                               &random_move_makers(), &random_pattern_makers()}) {
      all.insert(all.end(), family->begin(), family->end());
    }
    return all;
  }();
  return makers;
}

}  // namespace

RandomGraph random_graph(std::uint64_t seed, const RandomGraphOptions& options) {
  RandomBuilder builder(seed, options);
  Random& random = builder.random();
  const std::int64_t inputs = random.chance(0.7) ? 1 : random.integer(2, 3);
  for (std::int64_t i = 0; i < inputs; ++i) builder.add_input(random_dims(random));
  const std::int64_t wanted = random.integer(options.nodes_low, options.nodes_high);
  int total = 0;
  for (const RandomMaker& maker : all_makers()) total += maker.weight;
  // refused proposals cost little; the limit only guards against a shape that nothing fits
  for (int attempts = 0; attempts < 2000 && builder.node_count() < wanted; ++attempts) {
    pick_maker(random, all_makers(), total).make(builder);
  }
  return builder.finish();
}

std::vector<ValueId> computed_values(const Graph& graph) {
  std::vector<ValueId> values;
  for (const Node& node : graph.nodes()) {
    for (const ValueId output : node.outputs) {
      if (output != kNone) values.push_back(output);
    }
  }
  return values;
}

Graph with_outputs(const Graph& graph, const std::vector<ValueId>& outputs) {
  Graph result = graph;
  result.outputs = outputs;
  std::set<ValueId> needed(outputs.begin(), outputs.end());
  std::vector<NodeId> unused;
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
    const bool used = std::any_of(node->outputs.begin(), node->outputs.end(),
                                  [&](ValueId id) { return needed.contains(id); });
    if (used) {
      needed.insert(node->inputs.begin(), node->inputs.end());
    } else {
      unused.push_back(node->id);
    }
  }
  for (const NodeId id : unused) result.remove_node(id);
  return result;
}

}  // namespace frit

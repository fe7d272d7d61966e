// Random pointwise nodes: functions, arithmetic with broadcasting, comparisons, Where, Cast.
#include <string>

#include "generators/verify/random_builder.h"

namespace frit {
namespace {

using Dims = std::vector<std::int64_t>;

bool function(RandomBuilder& b) {
  static const std::vector<std::string> kTypes{
      "Relu", "Relu",  "Sigmoid",    "Sigmoid",  "Tanh",      "HardSigmoid", "HardSwish", "Erf",
      "Exp",  "Sqrt",  "Reciprocal", "Abs",      "Neg",       "Softplus",    "Log",       "Floor",
      "Ceil", "Round", "Sign",       "Identity", "LeakyRelu", "Elu"};
  const std::string& type = b.random().pick(kTypes);
  AttributeMap attributes;
  const bool set = b.random().chance(0.5);
  if (set && (type == "LeakyRelu" || type == "Elu")) {
    attributes["alpha"] = static_cast<float>(b.random().uniform(0.05, 0.6));
  }
  if (set && type == "HardSigmoid") {
    attributes["alpha"] = static_cast<float>(b.random().uniform(0.1, 0.4));
    attributes["beta"] = static_cast<float>(b.random().uniform(0.3, 0.7));
  }
  return b.add(type, {b.any_real()}, attributes).has_value();
}

bool clip(RandomBuilder& b) {
  const Proposed low = b.scalar(static_cast<float>(b.random().uniform(-0.8, 0.2)));
  const Proposed high = b.scalar(static_cast<float>(b.random().uniform(0.3, 1.0)));
  switch (b.random().integer(0, 2)) {
    case 0:
      return b.add("Clip", {b.any_real(), low}).has_value();
    case 1:
      return b.add("Clip", {b.any_real(), Proposed(kNone), high}).has_value();
    default:
      return b.add("Clip", {b.any_real(), low, high}).has_value();
  }
}

// A shape that broadcasts with `dims` without enlarging it.
Dims narrower(Random& random, const Dims& dims) {
  Dims shape = dims;
  for (std::int64_t& extent : shape) {
    if (random.chance(0.4)) extent = 1;
  }
  const std::int64_t drop =
      random.chance(0.5) ? 0 : random.integer(0, static_cast<std::int64_t>(dims.size()));
  shape.erase(shape.begin(), shape.begin() + drop);
  return shape;
}

const std::string& arithmetic_type(Random& random) {
  static const std::vector<std::string> kTypes{"Add", "Add", "Mul", "Mul",
                                               "Sub", "Div", "Max", "Min"};
  return random.pick(kTypes);
}

bool with_constant(RandomBuilder& b) {
  const ValueId x = b.any_real();
  const std::string& type = arithmetic_type(b.random());
  Tensor c = b.floats(narrower(b.random(), b.dims(x)), 0.25, 1.5);
  const bool swapped = b.random().chance(0.25);
  if (swapped) return b.add(type, {std::move(c), x}).has_value();
  return b.add(type, {x, std::move(c)}).has_value();
}

// A convolution's usual companion: one number per channel.
bool per_channel(RandomBuilder& b) {
  const auto x = b.real_of_rank(4);
  if (!x) return false;
  Tensor c = b.floats({b.dims(*x)[1], 1, 1}, -1.0, 1.0);
  return b.add(b.random().chance(0.5) ? "Add" : "Mul", {*x, std::move(c)}).has_value();
}

bool with_value(RandomBuilder& b) {
  const ValueId x = b.any_real();
  const Dims& dims = b.dims(x);
  const auto other = b.real_where(
      [&](const Dims& candidate) { return broadcast_dims(dims, candidate).has_value(); });
  if (!other) return false;
  // now and then a value with itself
  const ValueId y = b.random().chance(0.1) ? x : *other;
  return b.add(arithmetic_type(b.random()), {x, y}).has_value();
}

bool power(RandomBuilder& b) {
  static const std::vector<float> kExponents{2.0f, 2.0f, 3.0f, 0.5f, 1.0f, -1.0f, 1.5f};
  return b.add("Pow", {b.any_real(), b.scalar(b.random().pick(kExponents))}).has_value();
}

bool comparison(RandomBuilder& b) {
  static const std::vector<std::string> kTypes{"Less", "LessOrEqual", "Greater", "GreaterOrEqual",
                                               "Equal"};
  const ValueId x = b.any_real();
  Tensor c = b.floats(narrower(b.random(), b.dims(x)), -0.5, 0.5);
  return b.add(b.random().pick(kTypes), {x, std::move(c)}).has_value();
}

bool logic(RandomBuilder& b) {
  const auto p = b.any_bool();
  const auto q = b.any_bool();
  if (!p) return false;
  switch (b.random().integer(0, 2)) {
    case 0:
      return b.add("Not", {*p}).has_value();
    case 1:
      return b.add("And", {*p, *q}).has_value();
    default:
      return b.add("Or", {*p, *q}).has_value();
  }
}

bool where(RandomBuilder& b) {
  if (!b.any_bool() && !comparison(b)) return false;
  const auto p = b.any_bool();
  const Dims dims = b.dims(*p);
  const auto x = b.real_where(
      [&](const Dims& candidate) { return broadcast_dims(dims, candidate).has_value(); });
  if (!x) return false;
  Tensor c = b.floats(narrower(b.random(), b.dims(*x)), -1.0, 1.0);
  if (b.random().chance(0.5)) return b.add("Where", {*p, *x, std::move(c)}).has_value();
  return b.add("Where", {*p, std::move(c), *x}).has_value();
}

// ONNX type numbers: 1 float32, 6 int32.
bool cast_bool(RandomBuilder& b) {
  const auto p = b.any_bool();
  return p && b.add("Cast", {*p}, {{"to", std::int64_t{1}}}).has_value();
}

bool cast_round_trip(RandomBuilder& b) {
  const auto scaled = b.add_one("Mul", {b.any_real(), b.scalar(7.3f)});
  if (!scaled) return false;
  const auto whole = b.add_one("Cast", {*scaled}, {{"to", std::int64_t{6}}});
  if (whole) b.add("Cast", {*whole}, {{"to", std::int64_t{1}}});
  return true;
}

}  // namespace

const std::vector<RandomMaker>& random_pointwise_makers() {
  static const std::vector<RandomMaker> makers{
      {20, function},   {3, clip},      {12, with_constant}, {6, per_channel},
      {12, with_value}, {2, power},     {3, comparison},     {2, logic},
      {4, where},       {1, cast_bool}, {1, cast_round_trip}};
  return makers;
}

}  // namespace frit

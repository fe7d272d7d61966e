// Operators of one data input: activations, elementary functions and Clip.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/halide_type.h"
#include "ops/math.h"
#include "ops/operator.h"
#include "ops/rules.h"
#include "ops/unary.h"

namespace frit {
namespace {

using Halide::Expr;

Expr number(const Expr& x, double value) { return number_like(x, value); }
std::span<const DType> bool_type() { return all_types().last(1); }
// Storage types too.
std::span<const DType> every_type() {
  static const std::vector<DType> types = [] {
    std::vector<DType> all;
    for (int i = 0; i <= static_cast<int>(DType::kU2); ++i) all.push_back(static_cast<DType>(i));
    return all;
  }();
  return types;
}

Expr relu(const AttributeMap&, const Expr& x) { return math::relu(x); }
Expr leaky_relu(const AttributeMap& a, const Expr& x) {
  return Halide::select(x < number(x, 0), x * parameter_like(x, a, "alpha"), x);
}
Expr elu(const AttributeMap& a, const Expr& x) {
  return Halide::select(x < number(x, 0), math::expm1(x) * parameter_like(x, a, "alpha"), x);
}
Expr sigmoid(const AttributeMap&, const Expr& x) { return math::sigmoid(x); }
Expr tanh(const AttributeMap&, const Expr& x) { return math::tanh(x); }
Expr unit_clamp(const Expr& x) {
  return math::clamp_high(math::clamp_low(x, number(x, 0)), number(x, 1));
}
Expr hard_sigmoid(const AttributeMap& a, const Expr& x) {
  return unit_clamp(parameter_like(x, a, "alpha") * x + parameter_like(x, a, "beta"));
}
// x/6 as if divided. Multiplying by the nearest float to 1/6 makes every result 3e-8 too large,
// which deep networks add up; the second product is what that float lacks. It is strict so that the
// two are not joined again.
Expr sixth(const Expr& x) {
  if (x.type() != Halide::Float(32)) return x / number(x, 6);
  constexpr auto kNear = static_cast<float>(1.0 / 6.0);
  constexpr double kRest = 1.0 / 6.0 - static_cast<double>(kNear);
  return x * number(x, kNear) + math::strict_mul(x, number(x, kRest));
}
// x * clip(x + 3, 0, 6) / 6; the quotient first, so that no large x overflows.
Expr hard_swish(const AttributeMap&, const Expr& x) {
  return x * sixth(math::clamp_high(math::clamp_low(x + number(x, 3), number(x, 0)), number(x, 6)));
}
Expr softplus(const AttributeMap&, const Expr& x) { return math::softplus(x); }
Expr erf(const AttributeMap&, const Expr& x) { return math::erf(x); }
Expr gelu(const AttributeMap& a, const Expr& x) {
  return math::gelu(x, string_attribute(a, "approximate", "none") == "tanh");
}
Expr exp(const AttributeMap&, const Expr& x) { return math::exp(x); }
Expr log(const AttributeMap&, const Expr& x) { return math::log(x); }
Expr sqrt(const AttributeMap&, const Expr& x) { return Halide::sqrt(x); }
Expr reciprocal(const AttributeMap&, const Expr& x) { return number(x, 1) / x; }
Expr absolute(const AttributeMap&, const Expr& x) { return math::absolute(x); }
Expr negate(const AttributeMap&, const Expr& x) { return -x; }
Expr floor(const AttributeMap&, const Expr& x) { return Halide::floor(x); }
Expr ceil(const AttributeMap&, const Expr& x) { return Halide::ceil(x); }
Expr round(const AttributeMap&, const Expr& x) { return Halide::round(x); }
Expr sign(const AttributeMap&, const Expr& x) { return math::sign(x); }
Expr logical_not(const AttributeMap&, const Expr& x) { return !as_condition(x); }
Expr identity(const AttributeMap&, const Expr& x) { return x; }

// Costs: instructions of the vectorised form on AVX-512, rounded (math.h).
constexpr UnaryRule kUnary[] = {
    {"Abs", "out[i] = |x[i]|", 6, numeric_types, absolute, 1, 0, 0},
    {"Ceil", "out[i] = ceil(x[i])", 6, float_types, ceil, 1, 0, 0},
    {"Elu",
     "out[i] = x[i] < 0 ? alpha * (exp(x[i]) - 1) : x[i]",
     6,
     float_types,
     elu,
     18,
     1,
     1,
     {{{"alpha", 1.0F}}}},
    {"Erf", "out[i] = erf(x[i]) = 2/sqrt(pi) * integral_0^x[i] exp(-t^2) dt", 9, float_types, erf,
     24, 0, 1},
    {"Exp", "out[i] = exp(x[i])", 6, float_types, exp, 12, 0, 1},
    {"Floor", "out[i] = floor(x[i])", 6, float_types, floor, 1, 0, 0},
    {"HardSigmoid",
     "out[i] = max(0, min(1, alpha * x[i] + beta))",
     6,
     float_types,
     hard_sigmoid,
     3,
     2,
     0,
     {{{"alpha", 0.2F}, {"beta", 0.5F}}}},
    {"HardSwish", "out[i] = x[i] * max(0, min(1, x[i] / 6 + 1/2))", 14, float_types, hard_swish, 6,
     5, 0},
    {"Identity", "out[i] = x[i]", 1, every_type, identity, 0, 0, 0},
    {"LeakyRelu",
     "out[i] = x[i] < 0 ? alpha * x[i] : x[i]",
     6,
     float_types,
     leaky_relu,
     2,
     1,
     0,
     {{{"alpha", 0.01F}}}},
    {"Log", "out[i] = log(x[i]), natural", 6, float_types, log, 16, 0, 1},
    {"Neg", "out[i] = -x[i]", 6, signed_types, negate, 1, 1, 0},
    {"Not", "out[i] = !x[i]", 1, bool_type, logical_not, 1, 0, 0},
    {"Reciprocal", "out[i] = 1 / x[i]", 6, float_types, reciprocal, 4, 1, 0},
    {"Relu", "out[i] = max(0, x[i])", 6, signed_types, relu, 1, 1, 0},
    {"Round", "out[i] = nearest integer to x[i], ties to even", 11, float_types, round, 1, 0, 0},
    {"Sigmoid", "out[i] = 1 / (1 + exp(-x[i]))", 6, float_types, sigmoid, 16, 2, 1},
    {"Sign", "out[i] = x[i] > 0 ? 1 : x[i] < 0 ? -1 : x[i]", 9, numeric_types, sign, 3, 0, 0},
    {"Softplus", "out[i] = log(1 + exp(x[i]))", 1, float_types, softplus, 30, 1, 2},
    {"Sqrt", "out[i] = sqrt(x[i])", 6, float_types, sqrt, 6, 1, 0},
    {"Tanh", "out[i] = tanh(x[i])", 6, float_types, tanh, 20, 2, 1},
};

constexpr UnaryRule kGelu = {
    "Gelu",
    "out[i] = x[i]/2 * (1 + erf(x[i] / sqrt(2)))\n"
    "approximate tanh: out[i] = x[i]/2 * (1 + tanh(sqrt(2/pi) * (x[i] + 0.044715 * x[i]^3)))",
    20,
    float_types,
    gelu,
    28,
    3,
    1};

class Gelu final : public Unary {
 public:
  Gelu() : Unary(kGelu) {}
  const Attributes& attributes() const override {
    static const Attributes all = {{"approximate", AttributeKind::kString}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    const std::string how = string_attribute(op.attributes, "approximate", "none");
    if (how == "none" || how == "tanh") return Unary::infer(op);
    return fail("onnx-attribute",
                fmt::format("{}: approximate is \"{}\" but must be \"none\" or \"tanh\"; check "
                            "the model",
                            label(op), how));
  }
  Status canonicalise(OpInstance& op) const override {
    op.attributes["approximate"] = string_attribute(op.attributes, "approximate", "none");
    return {};
  }
};

/// Opset 6: min and max are attributes; from 11: optional scalar inputs 1 and 2.
class Clip final : public OneInput {
 public:
  std::string_view type() const override { return "Clip"; }
  std::string_view formula() const override {
    return "out[i] = min(max(x[i], low), high)\n"
           "before opset 11 low and high are the attributes min and max, then optional scalar "
           "inputs";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"max", kFloat}, {"min", kFloat}};
    return all;
  }
  int first_opset() const override { return 6; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, op.opset < 11 ? 1 : 3));
    FRIT_TRY(check_dtype(op, 0, "its input", numeric_types()));
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      if (!op.has_input(i)) continue;
      FRIT_TRY(check_same_dtype(op, 0, i));
      if (op.input(i).elements() != 1 || op.input(i).rank() > 1) {
        return fail("onnx-shape",
                    fmt::format("{}: {} is {} but must be a scalar; check the model", label(op),
                                i == 1 ? "min" : "max", to_text(op.input(i))));
      }
    }
    return std::vector{op.input(0)};
  }

  /// Bounds become attributes when all are constant and a float holds each exactly; else all stay
  /// inputs.
  Status canonicalise(OpInstance& op) const override {
    if (op.opset < 11) {  // the old defaults are the finite extremes of float32: no bound
      const auto drop = [&](const char* name, float unbounded) {
        if (float_attribute(op.attributes, name, unbounded) == unbounded) op.attributes.erase(name);
      };
      drop("min", std::numeric_limits<float>::lowest());
      drop("max", std::numeric_limits<float>::max());
      return {};
    }
    std::array<std::optional<float>, 2> bounds;
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      if (!op.has_input(i)) continue;
      const Tensor* bound = op.constant(i);
      if (!bound) return {};
      const double value = bound->to_doubles().at(0);
      const bool exact = is_float(bound->dtype()) || std::fabs(value) < 0x1p24;
      bounds[i - 1] = static_cast<float>(value);
      if (!exact || (bounds[i - 1] != value && value == value)) return {};
    }
    if (bounds[0]) op.attributes["min"] = *bounds[0];
    if (bounds[1]) op.attributes["max"] = *bounds[1];
    op.inputs.resize(1);
    op.constants.resize(1);
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    Stage& out = stages.stage("");
    const Expr x = operands[0].at(stages.index());
    const Expr low = bound(op, operands, 1, "min", x.type());
    const Expr high = bound(op, operands, 2, "max", x.type());
    Expr y = x;
    if (low.defined()) y = math::clamp_low(y, low);
    if (high.defined()) y = math::clamp_high(y, high);
    out() = y;
    out.op_cost = 2;
  }

 private:
  static Expr bound(const OpInstance& op, const std::vector<Operand>& operands, std::size_t i,
                    const char* name, Halide::Type type) {
    if (has_attribute(op.attributes, name)) {
      const double value = float_attribute(op.attributes, name, 0.0F);
      return type.is_float() ? constant_of(type, value)
                             : math::convert(type, Expr(value));  // saturates
    }
    if (!op.has_input(i)) return Expr();
    return operands.at(i).at(Index(static_cast<std::size_t>(op.input(i).rank()), Expr(0)));
  }
};

}  // namespace

void add_pointwise(std::vector<const Operator*>& all) {
  for (const UnaryRule& rule : kUnary) all.push_back(new Unary(rule));
  all.push_back(new Gelu);
  all.push_back(new Clip);
}

}  // namespace frit

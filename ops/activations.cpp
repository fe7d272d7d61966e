// Activations beyond the oldest ones of pointwise.cpp, and gates of two inputs.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "ops/broadcast.h"
#include "ops/math.h"
#include "ops/rules.h"
#include "ops/unary.h"

namespace frit {
namespace {

using Halide::Expr;
using Halide::select;

Expr zero_like(const Expr& x) { return number_like(x, 0); }

// gamma x above 0, gamma alpha (e^x - 1) below.
Expr selu(const AttributeMap& a, const Expr& x) {
  const double alpha = static_cast<double>(float_attribute(a, "alpha", 0.0F));
  const double gamma = static_cast<double>(float_attribute(a, "gamma", 0.0F));
  return select(math::strict_less(x, zero_like(x)), math::expm1(x) * number_like(x, alpha * gamma),
                x * number_like(x, gamma));
}

Expr thresholded_relu(const AttributeMap& a, const Expr& x) {
  return select(math::strict_less(parameter_like(x, a, "alpha"), x), x, zero_like(x));
}

Expr softsign(const AttributeMap&, const Expr& x) {
  return math::divide(x, number_like(x, 1) + Halide::abs(x));
}

// x tanh(log(1 + e^x)) = x (n / (n + 2)) with n = e^x (e^x + 2): no cancellation, and x from 30 on.
// Strict: LLVM makes (x n) / (n + 2) of it, and x n overflows.
Expr mish(const AttributeMap&, const Expr& x) {
  const Expr e = math::exp(math::clamp_high(x, number_like(x, 30)));
  const Expr n = e * (e + number_like(x, 2));
  return math::strict_mul(x, n / (n + number_like(x, 2)));
}

Expr swish_of(const Expr& x, double alpha) {
  return x * math::sigmoid(alpha == 1.0 ? x : x * number_like(x, alpha));
}
Expr swish(const AttributeMap& a, const Expr& x) {
  return swish_of(x, static_cast<double>(float_attribute(a, "alpha", 0.0F)));
}

constexpr float kSeluAlpha = 1.67326319217681884765625F, kSeluGamma = 1.05070102214813232421875F;

constexpr UnaryRule kActivations[] = {
    {"Mish", "out[i] = x[i] * tanh(log(1 + exp(x[i])))", 18, float_types, mish, 20, 5, 1},
    {"QuickGelu",
     "out[i] = x[i] / (1 + exp(-alpha * x[i]))",
     1,
     float_types,
     swish,
     18,
     3,
     1,
     {{{"alpha", 1.702F}}},
     "com.microsoft"},
    {"Selu",
     "out[i] = gamma * (x[i] < 0 ? alpha * (exp(x[i]) - 1) : x[i])",
     6,
     float_types,
     selu,
     18,
     2,
     1,
     {{{"alpha", kSeluAlpha}, {"gamma", kSeluGamma}}}},
    {"Softsign", "out[i] = x[i] / (1 + |x[i]|)", 1, float_types, softsign, 6, 2, 0},
    {"Swish",
     "out[i] = x[i] / (1 + exp(-alpha * x[i]))",
     24,
     float_types,
     swish,
     18,
     3,
     1,
     {{{"alpha", 1.0F}}}},
    {"ThresholdedRelu",
     "out[i] = x[i] > alpha ? x[i] : 0",
     10,
     float_types,
     thresholded_relu,
     2,
     0,
     0,
     {{{"alpha", 1.0F}}}},
};

/// All but the integers of 64 bits, of which a float knows no fraction.
std::span<const DType> shrink_types() {
  static constexpr std::array kAll = {DType::kU8,  DType::kU16, DType::kU32, DType::kI8,
                                      DType::kI16, DType::kI32, DType::kF16, DType::kBF16,
                                      DType::kF32, DType::kF64};
  return kAll;
}

// x + bias below -lambd, x - bias above lambd, else 0; integers by way of double, towards 0.
Expr shrink(const AttributeMap& a, const Expr& x) {
  const Expr y = x.type().is_float() ? x : Halide::cast<double>(x);
  const Expr bias = parameter_like(y, a, "bias"), limit = parameter_like(y, a, "lambd");
  const Expr shrunk = select(math::strict_less(y, -limit), math::strict_add(y, bias),
                             math::strict_less(limit, y), math::strict_sub(y, bias), zero_like(y));
  return math::convert(x.type(), shrunk);
}
constexpr UnaryRule kShrink = {
    "Shrink",
    "out[i] = x[i] < -lambd ? x[i] + bias : x[i] > lambd ? x[i] - bias : 0",
    9,
    shrink_types,
    shrink,
    4,
    1,
    0,
    {{{"bias", 0.0F}, {"lambd", 0.5F}}}};

/// Celu(x) = max(0, x) + min(0, alpha (e^(x/alpha) - 1)) = alpha Elu(x / alpha). Opset 12.
class Celu final : public Composite {
 public:
  std::string_view type() const override { return "Celu"; }
  std::string_view formula() const override {
    return "out[i] = max(0, x[i]) + min(0, alpha * (exp(x[i] / alpha) - 1))";
  }
  int first_opset() const override { return 12; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"alpha", AttributeKind::kFloat}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    return std::vector{op.input(0)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ref x = to.input(0);
    const Ref alpha = to.scalar(to.type(x).dtype, float_attribute(op.attributes, "alpha", 1.0F));
    to.output(0, to.node("Mul", {to.node("Elu", {to.node("Div", {x, alpha})}), alpha}));
    return to.status();
  }
};

/// PRelu(x, slope) = x, or slope x below 0. The slope broadcasts to x.
class PRelu final : public Operator {
 public:
  std::string_view type() const override { return "PRelu"; }
  std::string_view formula() const override {
    return "out[i] = x[i] < 0 ? slope[i] * x[i] : x[i], slope broadcast to x";
  }
  int first_opset() const override { return 7; }
  OpKind kind(const OpInstance&) const override { return OpKind::kPointwise; }
  const Attributes& attributes() const override { return no_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_dtype(op, 0, "its input", numeric_types()));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    const std::size_t both[] = {0, 1};
    const auto shape = broadcast_inputs(op, both);
    if (!shape) return fail(shape.error());
    if (*shape == op.input(0).shape) return std::vector{op.input(0)};
    return fail("onnx-shape",
                fmt::format("{}: its slope {} would enlarge the input {}; it may only broadcast to "
                            "it",
                            label(op), to_text(op.input(1)), to_text(op.input(0))));
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const auto read = [&](std::size_t i) {
      const Expr value = read_broadcast(operands[i], stages.index(), stages.extents());
      return Halide::cast(compute_type(value.type()), value);
    };
    const Expr x = read(0);
    const Expr y = select(math::strict_less(x, zero_like(x)), x * read(1), x);
    Stage& out = stages.stage("");
    out() = Halide::cast(halide_type(op.outputs.at(0).dtype), y);
    out.op_cost = 2;
  }

  Counts counts(const OpInstance& op) const override { return {op.outputs.at(0).elements(), 0}; }
};

/// SwiGLU(a, b) = Swish(a) b, of one shape. Opset 28.
class SwiGlu final : public Composite {
 public:
  std::string_view type() const override { return "SwiGLU"; }
  std::string_view formula() const override {
    return "out[i] = a[i] * sigmoid(alpha * a[i]) * b[i]";
  }
  int first_opset() const override { return 28; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"alpha", AttributeKind::kFloat}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_dtype(op, 0, "its gate", float_types()));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    if (op.input(0).shape == op.input(1).shape) return std::vector{op.input(0)};
    return fail("onnx-shape", fmt::format("{}: its gate is {} and its value {}, but they must have "
                                          "one shape; correct the model",
                                          label(op), to_text(op.input(0)), to_text(op.input(1))));
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const float alpha = float_attribute(op.attributes, "alpha", 1.0F);
    to.output(0,
              to.node("Mul", {to.node("Swish", {to.input(0)}, {{"alpha", alpha}}), to.input(1)}));
    return to.status();
  }
};

}  // namespace

void add_activations(std::vector<const Operator*>& all) {
  for (const UnaryRule& rule : kActivations) all.push_back(new Unary(rule));
  all.push_back(new Unary(kShrink));
  all.push_back(new Celu);
  all.push_back(new PRelu);
  all.push_back(new SwiGlu);
}

}  // namespace frit

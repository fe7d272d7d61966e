// Circular and hyperbolic functions and their inverses; IsNaN and IsInf.
#include <limits>

#include "ops/math.h"
#include "ops/operator.h"
#include "ops/rules.h"
#include "ops/unary.h"

namespace frit {
namespace {

using Halide::Expr;

template <Expr (*kFunction)(const Expr&)>
Expr of(const AttributeMap&, const Expr& x) {
  return kFunction(x);
}

// Costs: instructions of the vectorised form on AVX-512, rounded (math.h).
constexpr UnaryRule kElementary[] = {
    {"Acos", "out[i] = arccos(x[i]) in [0, pi]", 7, float_types, of<math::acos>, 24, 0, 1},
    {"Acosh", "out[i] = arcosh(x[i]) = log(x[i] + sqrt(x[i]^2 - 1))", 9, float_types,
     of<math::acosh>, 50, 0, 1},
    {"Asin", "out[i] = arcsin(x[i]) in [-pi/2, pi/2]", 7, float_types, of<math::asin>, 22, 0, 1},
    {"Asinh", "out[i] = arsinh(x[i]) = log(x[i] + sqrt(x[i]^2 + 1))", 9, float_types,
     of<math::asinh>, 50, 0, 1},
    {"Atan", "out[i] = arctan(x[i]) in [-pi/2, pi/2]", 7, float_types, of<math::atan>, 20, 0, 1},
    {"Atanh", "out[i] = artanh(x[i]) = log((1 + x[i]) / (1 - x[i])) / 2", 9, float_types,
     of<math::atanh>, 50, 0, 1},
    {"Cos", "out[i] = cos(x[i])", 7, float_types, of<math::cos>, 110, 0, 1},
    {"Cosh", "out[i] = cosh(x[i])", 9, float_types, of<math::cosh>, 24, 0, 1},
    {"Sin", "out[i] = sin(x[i])", 7, float_types, of<math::sin>, 110, 0, 1},
    {"Sinh", "out[i] = sinh(x[i])", 9, float_types, of<math::sinh>, 32, 0, 1},
    {"Tan", "out[i] = tan(x[i])", 7, float_types, of<math::tan>, 110, 0, 1},
};

/// IsNaN and IsInf: by the bits, whatever made x.
class FloatTest final : public OneInput {
 public:
  explicit FloatTest(bool nan) : nan_(nan) {}
  std::string_view type() const override { return nan_ ? "IsNaN" : "IsInf"; }
  std::string_view formula() const override {
    return nan_ ? "out[i] = x[i] is NaN"
                : "out[i] = (detect_positive && x[i] == +inf) || (detect_negative && x[i] == -inf)";
  }
  int first_opset() const override { return nan_ ? 9 : 10; }
  const Attributes& attributes() const override {
    static const Attributes signs = {{"detect_negative", AttributeKind::kInt},
                                     {"detect_positive", AttributeKind::kInt}};
    return nan_ ? no_attributes() : signs;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    TensorType type = op.input(0);
    type.dtype = DType::kBool;
    return std::vector{type};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Expr stored = operands[0].at(stages.index());
    const Expr x = Halide::cast(compute_type(stored.type()), stored);
    Stage& out = stages.stage("");
    out() = nan_ ? math::is_nan(x) : infinite(op, x);
    out.op_cost = 2;
  }

 private:
  static Expr infinite(const OpInstance& op, const Expr& x) {
    const Halide::Type bits = Halide::Int(x.type().bits());
    const auto is = [&](double value, const char* asked) {
      if (int_attribute(op.attributes, asked, 1) == 0) return Halide::Internal::const_false();
      return Halide::reinterpret(bits, x) == Halide::reinterpret(bits, number_like(x, value));
    };
    constexpr double kInf = std::numeric_limits<double>::infinity();
    return is(kInf, "detect_positive") || is(-kInf, "detect_negative");
  }

  bool nan_;
};

}  // namespace

void add_elementary(std::vector<const Operator*>& all) {
  for (const UnaryRule& rule : kElementary) all.push_back(new Unary(rule));
  all.push_back(new FloatTest(true));
  all.push_back(new FloatTest(false));
}

}  // namespace frit

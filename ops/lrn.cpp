#include "ops/lrn.h"

#include <fmt/format.h>

#include <cmath>

#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/math.h"
#include "ops/rules.h"
#include "ops/window.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;

constexpr std::int64_t kMostSize = 1 << 16;
constexpr std::size_t kChannel = 1;

struct Parameters {
  std::int64_t size = 0;
  float alpha = 0.0f, beta = 0.0f, bias = 0.0f;

  std::int64_t before() const { return (size - 1) / 2; }
  std::int64_t after() const { return size / 2; }
};

Parameters parameters_of(const OpInstance& op) {
  return {int_attribute(op.attributes, "size", 0), float_attribute(op.attributes, "alpha", 1e-4f),
          float_attribute(op.attributes, "beta", 0.75f),
          float_attribute(op.attributes, "bias", 1.0f)};
}

/// x / base^beta. Above zero, the usual powers need no logarithm.
Expr divided(const Expr& x, const Expr& base, const Parameters& p) {
  const bool positive = p.bias > 0.0f && p.alpha >= 0.0f;
  if (positive && p.beta == 1.0f) return math::divide(x, base);
  if (positive && p.beta == 0.5f) return math::divide(x, Halide::sqrt(base));
  if (positive && p.beta == 0.75f) {
    const Expr root = Halide::sqrt(base);
    return math::divide(x, root * Halide::sqrt(root));
  }
  return math::divide(x, math::pow(base, constant_of(base.type(), static_cast<double>(p.beta))));
}

class Lrn final : public Operator {
 public:
  std::string_view type() const override { return "LRN"; }
  std::string_view formula() const override {
    return "out[n,c,i] = x[n,c,i] / (bias + alpha/size * sum_d x[n,d,i]^2)^beta\n"
           "d from c - floor((size-1)/2) to c + ceil((size-1)/2)";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {
        {"alpha", kFloat}, {"beta", kFloat}, {"bias", kFloat}, {"size", kInt, kAlways}};
    return all;
  }
  OpKind kind(const OpInstance&) const override { return OpKind::kReduction; }
  std::string anchor(const OpInstance&) const override { return "lrn"; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    const TensorType& in = op.input(0);
    if (in.rank() < 2 || in.rank() > 5) {
      return fail("onnx-shape",
                  fmt::format("{}: its input is {} but [n,c] and up to three spatial axes are "
                              "supported; reshape it before",
                              label(op), to_text(in)));
    }
    const Parameters p = parameters_of(op);
    if (p.size < 1 || p.size > kMostSize) {
      return fail("onnx-attribute",
                  fmt::format("{}: size is {} but must be from 1 to {}; correct the attribute",
                              label(op), p.size, kMostSize));
    }
    for (const auto& [name, value] :
         {std::pair("alpha", p.alpha), std::pair("beta", p.beta), std::pair("bias", p.bias)}) {
      if (std::isfinite(value)) continue;
      return fail("onnx-attribute", fmt::format("{}: {} is {} but must be finite; correct the "
                                                "attribute",
                                                label(op), name, value));
    }
    return std::vector{in};
  }

  Status canonicalise(OpInstance& op) const override {
    const Parameters p = parameters_of(op);
    op.attributes = {{"size", p.size}, {"alpha", p.alpha}, {"beta", p.beta}, {"bias", p.bias}};
    return {};
  }

  std::vector<std::string> axis_names(const OpInstance& op) const override {
    return image_axes(op, "c");
  }

  Facts facts(const OpInstance& op) const override {
    Facts facts = Operator::facts(op);
    facts["rc"] = parameters_of(op).size;
    return facts;
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Parameters p = parameters_of(op);
    const Halide::Type result_type = halide_type(op.outputs.at(0).dtype);
    const Halide::Type sum_type = compute_type(result_type);
    std::vector<std::int64_t> low(static_cast<std::size_t>(op.input(0).rank()), 0), high = low;
    low[kChannel] = p.before();
    high[kChannel] = p.after();
    const Index at = stages.index();

    Stage& square = stages.stage("square");
    const Expr value = cast(sum_type, read_padded(operands[0], at, low, high, 0.0));
    square() = value * value;

    Stage& acc = stages.stage("acc");
    acc() = Halide::Internal::make_zero(sum_type);
    reduction_domain({"rc"}, {p.size}, acc.reduction);
    Index near = at;
    near[kChannel] = at[kChannel] + acc.reduction.at("rc") - static_cast<int>(p.before());
    acc() += Expr(square(near));

    const double factor = static_cast<double>(p.alpha) / static_cast<double>(p.size);
    const Expr sum = acc();
    const Expr base =
        constant_of(sum_type, static_cast<double>(p.bias)) + constant_of(sum_type, factor) * sum;
    Stage& norm = stages.stage("norm");
    norm.op_cost = 20;
    norm() = cast(result_type, divided(cast(sum_type, operands[0].at(at)), base, p));
  }

  Counts counts(const OpInstance& op) const override {
    const std::int64_t elements = op.outputs.at(0).elements();
    return {elements * (2 * parameters_of(op).size + 3), elements};
  }
};

}  // namespace

void add_lrn(std::vector<const Operator*>& all) {
  static const Lrn lrn;
  all.push_back(&lrn);
}

}  // namespace frit

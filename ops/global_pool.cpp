#include "ops/global_pool.h"

#include <fmt/format.h>

#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/math.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;

std::vector<std::int64_t> spatial_of(const OpInstance& op) {
  const std::vector<std::int64_t> dims = op.input(0).dims();
  return {dims.begin() + 2, dims.end()};
}

/// The shape rule of all: one element for each channel.
Result<std::vector<TensorType>> pooled_type(const OpInstance& op) {
  FRIT_TRY(check_inputs(op, 1, 1));
  FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
  TensorType out = op.input(0);
  if (out.rank() < 3) {
    return fail("onnx-shape", fmt::format("{}: its input is {} but it needs spatial axes after "
                                          "[n,c]; correct the model",
                                          label(op), to_text(out)));
  }
  FRIT_TRY(check_constant_shape(op, 0, "its input"));
  for (std::size_t axis = 2; axis < out.shape.size(); ++axis) out.shape[axis] = 1;
  return std::vector{out};
}

class GlobalPool : public Operator {
 public:
  const Attributes& attributes() const override { return no_attributes(); }
  OpKind kind(const OpInstance&) const override { return OpKind::kReduction; }
  std::string anchor(const OpInstance&) const override { return "reduce"; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    return pooled_type(op);
  }

  Facts facts(const OpInstance& op) const override {
    Facts facts = Operator::facts(op);
    std::int64_t reduced = 1;
    const std::vector<std::int64_t> spatial = spatial_of(op);
    for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
      facts[fmt::format("r{}", axis)] = spatial[axis];
      reduced *= spatial[axis];
    }
    facts["reduced"] = reduced;
    facts["outputs"] = op.outputs.at(0).elements();
    return facts;
  }

  Counts counts(const OpInstance& op) const override {
    Counts counts;
    counts.flop = op.input(0).elements();
    return counts;
  }

 protected:
  /// The input at the reduction axes, which it names in `acc`.
  static Expr reduced_value(const OpInstance& op, const Operand& in, StageBuilder& stages,
                            Stage& acc) {
    const std::vector<std::int64_t> spatial = spatial_of(op);
    std::vector<std::string> names;  // innermost first, as the axes lie in memory when dense
    for (std::size_t axis = spatial.size(); axis-- > 0;) names.push_back(fmt::format("r{}", axis));
    reduction_domain(names, {spatial.rbegin(), spatial.rend()}, acc.reduction);
    Index at = stages.index();
    for (std::size_t axis = 0; axis < spatial.size(); ++axis) {
      at[axis + 2] = acc.reduction.at(fmt::format("r{}", axis));
    }
    return in.at(at);
  }
};

class GlobalAveragePool final : public GlobalPool {
 public:
  std::string_view type() const override { return "GlobalAveragePool"; }
  std::string_view formula() const override {
    return "out[n,c] = 1/R sum_r x[n,c,r], r over all spatial axes, kept with extent 1";
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Halide::Type result_type = halide_type(op.outputs.at(0).dtype);
    const Halide::Type sum_type = compute_type(result_type);
    Stage& acc = stages.stage("acc");
    acc() = Halide::Internal::make_zero(sum_type);
    acc() += cast(sum_type, reduced_value(op, operands[0], stages, acc));
    const Expr count = constant_of(sum_type, static_cast<double>(facts(op).at("reduced")));
    const Expr sum = acc();
    stages.stage("mean")() = cast(result_type, sum / count);
  }
};

class GlobalMaxPool final : public GlobalPool {
 public:
  std::string_view type() const override { return "GlobalMaxPool"; }
  std::string_view formula() const override {
    return "out[n,c] = max_r x[n,c,r], r over all spatial axes, kept with extent 1";
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    // Keys, as ReduceMax has them: a maximum that propagates NaN is not seen to be associative, and
    // a schedule may split this one by rows.
    const Halide::Type result_type = halide_type(op.outputs.at(0).dtype);
    Stage& acc = stages.stage("acc");
    const Expr key = math::order_key(
        cast(compute_type(result_type), reduced_value(op, operands[0], stages, acc)),
        /*nan_highest=*/true);
    acc() = math::order_key_identity(key.type(), /*of_maximum=*/true);
    const Expr best = acc();
    acc() = Halide::max(best, key);
    const Expr most = acc();
    stages.stage("value")() = cast(result_type, math::from_order_key(most));
  }
};

/// (sum of |x|^p)^(1/p) over all spatial axes, as reductions. Opset 2.
class GlobalLpPool final : public Composite {
 public:
  std::string_view type() const override { return "GlobalLpPool"; }
  std::string_view formula() const override {
    return "out[n,c] = (sum_r |x[n,c,r]|^p)^(1/p), r over all spatial axes, kept with extent 1";
  }
  int first_opset() const override { return 2; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"p", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    auto out = pooled_type(op);
    const std::int64_t p = int_attribute(op.attributes, "p", 2);
    if (out && p < 1) {
      return fail("onnx-attribute", fmt::format("{}: p is {} but must be 1 or more; correct the "
                                                "attribute",
                                                label(op), p));
    }
    return out;
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const std::int64_t p = int_attribute(op.attributes, "p", 2);
    const DType dtype = op.input(0).dtype, wide = dtype == DType::kF64 ? dtype : DType::kF32;
    std::vector<std::int64_t> spatial;
    for (int axis = 2; axis < op.input(0).rank(); ++axis) spatial.push_back(axis);
    const Ref axes = to.ints(spatial);
    if (p <= 2) {
      to.output(0, to.node(p == 1 ? "ReduceL1" : "ReduceL2", {to.input(0), axes}));
      return to.status();
    }
    Ref x = to.input(0);
    if (dtype != wide) x = to.node("Cast", {x}, {{"to", onnx_number(wide)}});
    const Ref power = to.scalar(wide, static_cast<double>(p));
    const Ref sum = to.node("ReduceSum", {to.node("Pow", {to.node("Abs", {x}), power}), axes});
    Ref norm = to.node("Pow", {sum, to.scalar(wide, 1.0 / static_cast<double>(p))});
    if (dtype != wide) norm = to.node("Cast", {norm}, {{"to", onnx_number(dtype)}});
    to.output(0, norm);
    return to.status();
  }
};

}  // namespace

void add_global_pool(std::vector<const Operator*>& all) {
  static const GlobalAveragePool average;
  static const GlobalLpPool norm;
  static const GlobalMaxPool maximum;
  all.insert(all.end(), {&average, &norm, &maximum});
}

}  // namespace frit

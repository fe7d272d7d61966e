#include "ops/batch_norm.h"

#include <fmt/format.h>

#include "ops/halide_type.h"
#include "ops/norm_parts.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;

constexpr const char* kNames[] = {"its input", "its scale", "its bias", "its mean", "its variance"};

class BatchNormalization final : public Operator {
 public:
  std::string_view type() const override { return "BatchNormalization"; }
  std::string_view formula() const override {
    return "out[n,c,i] = (x[n,c,i] - mean[c]) / sqrt(var[c] + epsilon) * scale[c] + bias[c]\n"
           "training_mode (opset 14 on): mean and var of x over n and i; outputs 1, 2: old * "
           "momentum + new * (1 - momentum)";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {
        {"epsilon", kFloat}, {"momentum", kFloat}, {"spatial", kInt}, {"training_mode", kInt}};
    return all;
  }
  int first_opset() const override { return 7; }
  OpKind kind(const OpInstance&) const override { return OpKind::kPointwise; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 5, 5));
    const TensorType& in = op.input(0);
    if (in.rank() < 2) {
      return fail("onnx-shape",
                  fmt::format("{}: its input is {} but needs a channel axis after the "
                              "batch; correct the model",
                              label(op), to_text(in)));
    }
    for (std::size_t i = 0; i < 5; ++i) {
      FRIT_TRY(check_dtype(op, i, kNames[i], float_types()));
      if (i == 0 || op.input(i).shape == std::vector{in.shape[1]}) continue;
      return fail(
          "onnx-shape",
          fmt::format("{}: {} is {} but its input {} has {} channels; correct the model", label(op),
                      kNames[i], to_text(op.input(i)), to_text(in), in.dims()[1]));
    }
    if (int_attribute(op.attributes, "spatial", 1) != 1) {
      return fail("onnx-attribute",
                  fmt::format("{}: spatial is 0 but only statistics by channel (spatial 1) are "
                              "supported; convert the model to opset 9 or later",
                              label(op)));
    }
    if (trains(op)) return std::vector{in, op.input(3), op.input(4)};
    return std::vector{in};
  }

  bool expands(const OpInstance& op) const override { return trains(op); }

  /// y from the batch's own mean and variance; running = input * momentum + own * (1 - momentum).
  Status expand(const OpInstance& op, Expansion& to) const override {
    std::vector<std::int64_t> axes;
    for (int axis = 0; axis < op.input(0).rank(); ++axis) {
      if (axis != 1) axes.push_back(axis);
    }
    const bool wide = op.input(0).dtype == DType::kF64 || op.input(3).dtype == DType::kF64;
    const Ref x = cast_to(to, to.input(0), wide ? DType::kF64 : DType::kF32);
    const Moments m = moments(to, x, axes);
    const std::vector<std::int64_t> channels = op.input(1).dims();
    const Ref own[] = {reshaped(to, m.mean, channels), reshaped(to, m.variance, channels)};
    const Ref y = to.node("BatchNormalization", {x, to.input(1), to.input(2), own[0], own[1]},
                          {{"epsilon", float_attribute(op.attributes, "epsilon", 1e-5F)}});
    to.output(0, cast_to(to, y, op.input(0).dtype));
    const auto momentum = static_cast<double>(float_attribute(op.attributes, "momentum", 0.9F));
    const DType dtype = to.type(x).dtype;
    for (const std::size_t i : {0U, 1U}) {
      const Ref before = cast_to(to, to.input(3 + i), dtype);
      const Ref running =
          to.node("Add", {to.node("Mul", {before, to.scalar(dtype, momentum)}),
                          to.node("Mul", {own[i], to.scalar(dtype, 1.0 - momentum)})});
      const DType stored = op.input(3 + i).dtype;
      if (op.outputs.size() > 1 + i) to.output(1 + i, cast_to(to, running, stored));
    }
    return to.status();
  }

  Status canonicalise(OpInstance& op) const override {
    op.attributes = {{"epsilon", float_attribute(op.attributes, "epsilon", 1e-5F)}};
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Halide::Type result_type = halide_type(op.outputs.at(0).dtype);
    Halide::Type type = compute_type(result_type);
    if (op.input(3).dtype == DType::kF64) type = Halide::Float(64);
    const Index at = stages.index();
    const Expr channel = at[1];
    const auto of_channel = [&](std::size_t i) { return cast(type, operands[i].at({channel})); };
    const Expr epsilon =
        constant_of(type, static_cast<double>(float_attribute(op.attributes, "epsilon", 1e-5F)));

    Stage& factor = stages.stage_over("factor", {1});
    factor.op_cost = 16;  // a division and a square root
    factor() = of_channel(1) / Halide::sqrt(of_channel(4) + epsilon);
    const Expr scale = factor();
    const Expr centred = cast(type, operands[0].at(at)) - of_channel(3);
    Stage& result = stages.stage("");
    result.op_cost = 3;
    result() = cast(result_type, centred * scale + of_channel(2));
  }

  Counts counts(const OpInstance& op) const override {
    Counts counts;
    counts.flop = 3 * op.outputs.at(0).elements() + 3 * op.input(1).elements();
    return counts;
  }

 private:
  /// From opset 14 on. Before, further outputs ask for training: unused ones are dropped by the
  /// importer, those that are read it refuses.
  static bool trains(const OpInstance& op) {
    return op.opset >= 14 && int_attribute(op.attributes, "training_mode", 0) != 0;
  }
};

}  // namespace

void add_batch_norm(std::vector<const Operator*>& all) {
  static const BatchNormalization batch_norm;
  all.push_back(&batch_norm);
}

}  // namespace frit

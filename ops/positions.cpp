// Elements chosen by their position: Trilu, ReverseSequence, TensorScatter.
//
//   Trilu            out[…,i,j] = in[…,i,j] where j - i >= k (upper) or <= k (lower), else 0
//   ReverseSequence  out[t,b] = in[n_b - 1 - t, b] where t < n_b, else in[t,b]; n_b in [0, T]
//   TensorScatter    out[b,…,s,…] = update[b,…,s - w_b,…] where that is inside, else past
//
// Lengths that are out of range are clamped; what TensorScatter would write outside the cache is
// dropped ("linear") or wraps ("circular").
#include <fmt/format.h>

#include <array>

#include "ops/halide_type.h"
#include "ops/indices.h"
#include "ops/limits.h"
#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::Expr;
using Ints = std::vector<std::int64_t>;

constexpr std::array kI64 = {DType::kI64};

/// `value`, an i64 expression, held to [low, high] and narrowed to Halide's index type.
Expr held(const Expr& value, std::int64_t low, std::int64_t high) {
  return Halide::cast<int>(
      Halide::clamp(value, constant_of(value.type(), low), constant_of(value.type(), high)));
}

int extent_of(const OpInstance& op, std::size_t input, std::size_t axis) {
  return static_cast<int>(op.input(input).dims()[axis]);
}

class Trilu final : public Operator {
 public:
  std::string_view type() const override { return "Trilu"; }
  std::string_view formula() const override {
    return "out[b,i,j] = j - i >= k (upper) or j - i <= k (lower) ? x[b,i,j] : 0";
  }
  int first_opset() const override { return 14; }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"upper", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 2));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    const bool offset = op.has_input(1);
    if (offset) FRIT_TRY(check_dtype(op, 1, "k", kI64));
    if (op.input(0).rank() >= 2 && (!offset || op.input(1).elements() == 1)) {
      return std::vector{op.input(0)};
    }
    return fail("onnx-shape", fmt::format("{}: its input is {} and k is {}; it needs two axes or "
                                          "more and one number",
                                          label(op), to_text(op.input(0)),
                                          offset ? to_text(op.input(1)) : "absent"));
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Index out = stages.index();
    const Expr column = out[out.size() - 1], row = out[out.size() - 2];
    Expr k = 0;
    if (const Tensor* known = op.constant(1)) {
      k = static_cast<int>(std::clamp(known->to_ints()[0], -kMaxExtent, kMaxExtent));
    } else if (op.has_input(1)) {
      const Index first(static_cast<std::size_t>(op.input(1).rank()), Expr(0));
      k = held(operands[1].at(first), -kMaxExtent, kMaxExtent);
    }
    const bool upper = int_attribute(op.attributes, "upper", 1) != 0;
    const Expr value = operands[0].at(out);
    stages.stage("")() = Halide::select(upper ? column - row >= k : column - row <= k, value,
                                        Halide::Internal::make_zero(value.type()));
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

class ReverseSequence final : public Operator {
 public:
  std::string_view type() const override { return "ReverseSequence"; }
  std::string_view formula() const override {
    return "out[t,b] = t < n[b] ? x[n[b] - 1 - t, b] : x[t,b], n = sequence_lens, t along "
           "time_axis, b along batch_axis";
  }
  int first_opset() const override { return 10; }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"batch_axis", AttributeKind::kInt},
                                   {"time_axis", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    FRIT_TRY(check_dtype(op, 1, "sequence_lens", kI64));
    const std::int64_t batch = stated(op, "batch_axis", 1), time = stated(op, "time_axis", 0);
    if (op.input(0).rank() < 2 || batch + time != 1 || batch * time != 0) {
      return fail(
          "onnx-attribute",
          fmt::format("{}: batch_axis is {} and time_axis {} but its input is {}; they must "
                      "be 0 and 1, or 1 and 0, of two axes or more",
                      label(op), batch, time, to_text(op.input(0))));
    }
    if (op.input(1).dims() == Ints{op.input(0).dims()[static_cast<std::size_t>(batch)]}) {
      return std::vector{op.input(0)};
    }
    return fail("onnx-shape",
                fmt::format("{}: sequence_lens is {} but its input {} needs one length for each "
                            "element of axis {}; correct the model",
                            label(op), to_text(op.input(1)), to_text(op.input(0)), batch));
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const auto batch = static_cast<std::size_t>(stated(op, "batch_axis", 1)), time = 1 - batch;
    Index at = stages.index();
    const int extent = extent_of(op, 0, time);
    const Expr length = held(operands[1].at({at[batch]}), 0, extent);
    const Expr t = at[time];
    const Expr from = Halide::select(t < length, length - 1 - t, t);
    at[time] = Halide::clamp(from, 0, std::max(extent - 1, 0));  // for Halide's bounds only
    stages.stage("")() = operands[0].at(at);
  }

  Counts counts(const OpInstance&) const override { return {}; }

 private:
  static std::int64_t stated(const OpInstance& op, const std::string& name,
                             std::int64_t otherwise) {
    return int_attribute(op.attributes, name, otherwise);
  }
};

class TensorScatter final : public Operator {
 public:
  std::string_view type() const override { return "TensorScatter"; }
  std::string_view formula() const override {
    return "out[b,s] = update[b, s - w[b]] where that is inside, else past[b,s], w = "
           "write_indices, s along axis\n"
           "mode circular: s - w[b] modulo the extent of past";
  }
  int first_opset() const override { return 24; }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", AttributeKind::kInt}, {"mode", AttributeKind::kString}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 3));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    for (std::size_t i = 0; i < 2; ++i) FRIT_TRY(check_constant_shape(op, i, "its input"));
    const auto axis = axis_attribute(op, -2);
    if (!axis) return fail(axis.error());
    const std::string mode = mode_of(op);
    if (*axis == 0 || (mode != "linear" && mode != "circular")) {
      return fail("onnx-attribute",
                  fmt::format("{}: its axis is {} and its mode \"{}\"; axis 0 is the batch, and "
                              "modes are linear and circular",
                              label(op), *axis, mode));
    }
    const Ints past = op.input(0).dims();
    Ints update = op.input(1).dims();
    const bool ranks = update.size() == past.size();
    const bool fits = ranks && update[*axis] <= past[*axis];
    if (ranks) update[*axis] = past[*axis];
    if (!fits || update != past) {
      return fail("onnx-shape",
                  fmt::format("{}: its update is {} but its cache {}; they may differ at axis {} "
                              "only, where the update is the shorter",
                              label(op), to_text(op.input(1)), to_text(op.input(0)), *axis));
    }
    if (!op.has_input(2)) return std::vector{op.input(0)};
    FRIT_TRY(check_dtype(op, 2, "write_indices", kI64));
    if (op.input(2).dims() == Ints{past[0]}) return std::vector{op.input(0)};
    return fail("onnx-shape",
                fmt::format("{}: write_indices is {} but must hold one index for each of the {} "
                            "samples of {}; correct the model",
                            label(op), to_text(op.input(2)), past[0], to_text(op.input(0))));
  }

  Status canonicalise(OpInstance& op) const override {
    op.attributes = {{"axis", static_cast<std::int64_t>(*axis_attribute(op, -2))},
                     {"mode", mode_of(op)}};
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const std::size_t axis = *axis_attribute(op, -2);
    const int most = extent_of(op, 0, axis), length = extent_of(op, 1, axis);
    Index at = stages.index();
    const Expr past = operands[0].at(at);
    if (length == 0) {
      stages.stage("")() = past;
      return;
    }
    Expr from = at[axis];
    const bool circular = mode_of(op) == "circular";
    if (op.has_input(2)) {
      const Expr write = operands[2].at({at[0]});
      from -= circular ? Halide::cast<int>(write % constant_of(write.type(), std::int64_t{most}))
                       : held(write, -most, most);
    }
    if (circular) from = from % most;
    at[axis] = Halide::clamp(from, 0, length - 1);
    stages.stage("")() = Halide::select(from >= 0 && from < length, operands[1].at(at), past);
  }

  Counts counts(const OpInstance&) const override { return {}; }

 private:
  static std::string mode_of(const OpInstance& op) {
    return string_attribute(op.attributes, "mode", "linear");
  }
};

}  // namespace

void add_positions(std::vector<const Operator*>& all) {
  all.push_back(new ReverseSequence);
  all.push_back(new TensorScatter);
  all.push_back(new Trilu);
}

}  // namespace frit

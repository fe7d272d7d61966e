#include "ops/concat.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::Expr;

std::int64_t stated_axis(const OpInstance& op) {
  return int_attribute(op.attributes, "axis", 1);  // opset 4 on: required; before: 1
}

class Concat final : public Operator {
 public:
  std::string_view type() const override { return "Concat"; }
  std::string_view formula() const override {
    return "out[a,i,b] = x_j[a, i - offset_j, b], offset_j <= i < offset_j + extent_j, i along "
           "axis";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"axis", kInt, kAlways}};
    return all;
  }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, std::max<std::size_t>(1, op.inputs.size()), 1 << 16));
    TensorType out = op.input(0);
    const std::optional<int> axis = normal_axis(stated_axis(op), out.rank());
    if (!axis) {
      return fail("onnx-attribute", fmt::format("{}: axis is {} but its input is {}; correct the "
                                                "attribute",
                                                label(op), stated_axis(op), to_text(out)));
    }
    const auto joined = static_cast<std::size_t>(*axis);
    std::int64_t total = 0;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      FRIT_TRY(check_same_dtype(op, 0, i));
      FRIT_TRY(check_constant_shape(op, i, fmt::format("input {}", i)));
      TensorType part = op.input(i);
      if (part.rank() == out.rank()) {
        total = std::min(total + part.dims()[joined], kMaxElements);
        part.shape[joined] = out.shape[joined];
      }
      if (part == out) continue;
      return fail("onnx-shape",
                  fmt::format("{}: inputs 0 and {} are {} and {} but may differ at axis {} only; "
                              "correct the model or pass --shape",
                              label(op), i, to_text(out), to_text(op.input(i)), joined));
    }
    out.shape[joined] = total;
    FRIT_TRY(check_size(op, out.dims()));
    return std::vector{out};
  }

  Status canonicalise(OpInstance& op) const override {
    op.attributes = {{"axis", std::int64_t{*normal_axis(stated_axis(op), op.input(0).rank())}}};
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const auto axis = static_cast<std::size_t>(*normal_axis(stated_axis(op), op.input(0).rank()));
    const Index out = stages.index();
    int offset = static_cast<int>(op.outputs.at(0).dims()[axis]);
    Expr value;
    // From the last part to the first. Reads are kept inside their part, since a vector that
    // straddles two parts evaluates both sides of the select in every lane.
    for (std::size_t i = operands.size(); i-- > 0;) {
      const int extent = static_cast<int>(op.input(i).dims()[axis]);
      if (op.input(i).elements() == 0) continue;
      const int end = offset;
      offset -= extent;
      Index at = out;
      if (offset > 0) at[axis] = Halide::max(at[axis] - offset, 0);
      if (value.defined()) at[axis] = Halide::min(at[axis], extent - 1);
      const Expr part = operands[i].at(at);
      value = value.defined() ? Halide::select(out[axis] < end, part, value) : part;
    }
    if (!value.defined()) value = Halide::Internal::make_zero(halide_type(op.outputs.at(0).dtype));
    stages.stage("")() = value;
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

}  // namespace

void add_concat(std::vector<const Operator*>& all) {
  static const Concat concat;
  all.push_back(&concat);
}

}  // namespace frit

// CumSum and CumProd: running totals along one axis, float16 and bfloat16 in float32.
//
//   acc[i] = x[i] (exclusive: x[i-1], and the identity first); acc[i] = acc[i-1] + acc[i] in order
#include <fmt/format.h>

#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/operator.h"
#include "ops/rules.h"
#include "ops/whole.h"

namespace frit {
namespace {

using Halide::Expr;

class Scan final : public Operator {
 public:
  Scan(std::string_view type, int first_opset, bool product)
      : type_(type), first_opset_(first_opset), product_(product) {}

  std::string_view type() const override { return type_; }
  std::string_view formula() const override {
    return product_ ? "out[a,i,b] = prod_{j <= i} x[a,j,b], i along axis; exclusive: j < i; "
                      "reverse: j >= i, j > i"
                    : "out[a,i,b] = sum_{j <= i} x[a,j,b], i along axis; exclusive: j < i; "
                      "reverse: j >= i, j > i";
  }
  int first_opset() const override { return first_opset_; }
  OpKind kind(const OpInstance&) const override { return OpKind::kOpaque; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"exclusive", AttributeKind::kInt},
                                   {"reverse", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 2));
    FRIT_TRY(check_dtype(op, 0, "its input", numeric_types()));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    const auto axis = axis_of(op);
    if (!axis) return fail(axis.error());
    return std::vector{op.input(0)};
  }

  Status canonicalise(OpInstance& op) const override {
    op.attributes = {{"axis", static_cast<std::int64_t>(*axis_of(op))},
                     {"exclusive", std::int64_t{flag(op, "exclusive")}},
                     {"reverse", std::int64_t{flag(op, "reverse")}}};
    op.inputs.resize(1);
    op.constants.resize(1);
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const std::size_t axis = *axis_of(op);
    const auto extent = static_cast<int>(op.input(0).dims()[axis]);
    const Halide::Type type = halide_type(op.input(0).dtype), wide = compute_type(type);
    const bool reverse = flag(op, "reverse");
    const int back = reverse ? 1 : -1;  // towards where the scan comes from

    Stage& acc = stages.stage("acc");
    Index at = stages.index();
    if (flag(op, "exclusive")) {
      const Expr place = at[axis];
      at[axis] = Halide::clamp(place + back, 0, std::max(extent - 1, 0));
      acc() = Halide::select(place == (reverse ? extent - 1 : 0),
                             constant_of(wide, std::int64_t{product_}),
                             Halide::cast(wide, operands[0].at(at)));
    } else {
      acc() = Halide::cast(wide, operands[0].at(at));
    }
    compute_whole(acc);
    if (extent > 1) {
      const Halide::RVar r = reduction_domain({"r0"}, {extent - 1}, acc.reduction)[0];
      Index here = stages.index(), before = here;
      here[axis] = reverse ? extent - 2 - r : r + 1;
      before[axis] = here[axis] + back;
      acc(here) = product_ ? acc(before) * acc(here) : acc(before) + acc(here);
    }
    if (wide != type) stages.stage("res")() = Halide::cast(type, acc(stages.index()));
  }

  Counts counts(const OpInstance& op) const override { return {op.input(0).elements(), 0}; }

 private:
  static bool flag(const OpInstance& op, const std::string& name) {
    return int_attribute(op.attributes, name, 0) != 0;
  }

  /// Of the canonical form from its attribute, else from input 1.
  static Result<std::size_t> axis_of(const OpInstance& op) {
    std::int64_t stated = int_attribute(op.attributes, "axis", 0);
    if (op.has_input(1)) {
      const auto given = integer_input(op, 1, "axis");
      if (!given) return fail(given.error());
      if ((*given)->elements() != 1) {
        return fail("onnx-shape", fmt::format("{}: its axis is {} but must be one number; correct "
                                              "the model",
                                              label(op), to_text(op.input(1))));
      }
      stated = (*given)->to_ints()[0];
    }
    const std::optional<int> axis = normal_axis(stated, op.input(0).rank());
    if (axis) return static_cast<std::size_t>(*axis);
    return fail("onnx-attribute", fmt::format("{}: axis is {} but its input is {}; correct the "
                                              "model",
                                              label(op), stated, to_text(op.input(0))));
  }

  std::string_view type_;
  int first_opset_;
  bool product_;
};

}  // namespace

void add_scan(std::vector<const Operator*>& all) {
  all.push_back(new Scan("CumSum", 11, false));
  all.push_back(new Scan("CumProd", 26, true));
}

}  // namespace frit

// Softmax and LogSoftmax over the axes that the canonical attribute `axes` lists.
//
// Stages: max[row] = max x; exp = e^(x - max); sum[row] = sum exp; inv[row] = 1 / sum;
// res = exp * inv. LogSoftmax has log[row] = log(sum) and res = (x - max) - log instead.
//
// x - max is at most 0, so nothing overflows. A NaN, a +inf, or nothing but -inf in a row makes
// the whole row NaN by way of the sum, as in ONNX; `max` itself may lose a NaN. The difference and
// the product are strict: in a row of one element they are x - x and e * (1 / e).
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ops/arithmetic.h"
#include "ops/halide_type.h"
#include "ops/math.h"
#include "ops/operator.h"
#include "ops/rows.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::Expr;
using Halide::Type;

class SoftmaxFamily final : public Operator {
 public:
  SoftmaxFamily(std::string_view type, bool log) : type_(type), log_(log) {}

  std::string_view type() const override { return type_; }
  std::string_view formula() const override {
    return log_ ? "out[i,r] = x[i,r] - m[i] - log(sum_s exp(x[i,s] - m[i])), m[i] = max_r "
                  "x[i,r]\nr over axis; before opset 13 over all axes from axis on"
                : "out[i,r] = exp(x[i,r] - m[i]) / sum_s exp(x[i,s] - m[i]), m[i] = max_r "
                  "x[i,r]\nr over axis; before opset 13 over all axes from axis on";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"axis", kInt}};
    return all;
  }
  OpKind kind(const OpInstance&) const override { return OpKind::kChain; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    const auto axes = axes_of(op);
    if (!axes) return fail(axes.error());
    return std::vector{op.input(0)};
  }

  Status canonicalise(OpInstance& op) const override {
    auto axes = axes_of(op);
    if (!axes) return fail(axes.error());
    drop_single(op.input(0), *axes);
    op.attributes = {{"axes", std::move(*axes)}};
    return {};
  }

  std::string anchor(const OpInstance&) const override { return "softmax"; }
  std::vector<std::string> axis_names(const OpInstance& op) const override {
    return row_axis_names(op.input(0).rank(), ints_attribute(op.attributes, "axes", {}));
  }
  Facts facts(const OpInstance& op) const override {
    return row_facts(op.input(0).dims(), ints_attribute(op.attributes, "axes", {}));
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    Rows rows(stages, ints_attribute(op.attributes, "axes", {}));
    const Type type = halide_type(op.outputs.at(0).dtype);
    const Type wide = compute_type(type);
    const auto x = [&](const Index& at) { return Halide::cast(wide, operands[0].at(at)); };
    const Index here = stages.index();

    Index at;
    Stage& top = rows.accumulator("max", at);
    top() = constant_of(wide, -std::numeric_limits<double>::infinity());
    top() = Halide::max(top(), x(at));

    Stage& power = stages.stage("exp");
    power() = math::exp_of_negative(math::strict_sub(x(here), top(rows.row())));
    power.op_cost = 14;

    Stage& sum = rows.accumulator("sum", at);
    sum() = constant_of(wide, 0.0);
    sum() += power(at);

    if (log_) {
      Stage& log = rows.statistic("log");
      log() = math::log(sum());
      log.op_cost = 16;
      Stage& res = stages.stage("res");
      // not x - (max + log): the logarithm is lost beside a large max
      const Expr past = math::strict_sub(x(here), top(rows.row()));
      res() = Halide::cast(type, math::strict_sub(past, log(rows.row())));
      res.op_cost = 2;
      return;
    }
    Stage& inverse = rows.statistic("inv");
    inverse() = constant_of(wide, 1.0) / sum();
    inverse.op_cost = 4;
    Stage& res = stages.stage("res");
    res() = Halide::cast(type, math::strict_mul(power(here), inverse(rows.row())));
    res.op_cost = 1;
  }

  Counts counts(const OpInstance& op) const override {
    const std::int64_t elements = op.outputs.at(0).elements();
    return {elements * 4, elements};
  }

 private:
  /// Before opset 13 the input is seen as a matrix, [product of axes before, product of the rest].
  static Result<std::vector<std::int64_t>> axes_of(const OpInstance& op) {
    const int rank = op.input(0).rank();
    if (has_attribute(op.attributes, "axes")) {
      return normal_axes(op, ints_attribute(op.attributes, "axes", {}), rank);
    }
    const bool coerced = op.opset < 13;
    const std::int64_t axis = int_attribute(op.attributes, "axis", coerced ? 1 : -1);
    if (coerced && axis == rank) return std::vector<std::int64_t>{};  // rows of one element
    auto first = normal_axes(op, {axis}, rank);
    if (!first || !coerced) return first;
    std::vector<std::int64_t> axes;
    for (std::int64_t a = first->at(0); a < rank; ++a) axes.push_back(a);
    return axes;
  }

  /// An axis of one element joins nothing: without it a row of [1,1000,1,1] is the one axis that
  /// schedules of rows know, and its sum no single long chain of additions.
  static void drop_single(const TensorType& type, std::vector<std::int64_t>& axes) {
    const auto single = [&](std::int64_t axis) {
      return type.shape[static_cast<std::size_t>(axis)] == Extent(1);
    };
    while (axes.size() > 1) {
      const auto found = std::find_if(axes.begin(), axes.end(), single);
      if (found == axes.end()) return;
      axes.erase(found);
    }
  }

  std::string_view type_;
  bool log_;
};

}  // namespace

void add_softmax(std::vector<const Operator*>& all) {
  all.push_back(new SoftmaxFamily("Softmax", false));
  all.push_back(new SoftmaxFamily("LogSoftmax", true));
}

}  // namespace frit

// ArgMax and ArgMin: where along an axis the extreme lies.
//
//   k = order of x as integers; m = max k; out = min { i : k_i = m }  (max with select_last_index)
//
// A NaN is the extreme of either, as in numpy; -0 and +0 are equal. The integers of floats are an
// operator of frit's own, OrderKey: two reductions of integers vectorise, and no NaN is compared.
#include <fmt/format.h>

#include "ops/halide_type.h"
#include "ops/indices.h"
#include "ops/limits.h"
#include "ops/operator.h"
#include "ops/rules.h"
#include "ops/sort_key.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

/// frit.OrderKey: integers (i64 of f64, else i32) in the order of the floats x.
class OrderKey final : public Operator {
 public:
  std::string_view type() const override { return "OrderKey"; }
  std::string_view formula() const override {
    return "out[i] = integer in the order of floats x[i]; NaN above all, or below where not "
           "nan_highest";
  }
  std::string_view domain() const override { return "frit"; }
  OpKind kind(const OpInstance&) const override { return OpKind::kPointwise; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"nan_highest", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    TensorType out = op.input(0);
    out.dtype = out.dtype == DType::kF64 ? DType::kI64 : DType::kI32;
    return std::vector{out};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    Stage& out = stages.stage("");
    out() = math::sort_key(operands[0].at(stages.index()),
                           int_attribute(op.attributes, "nan_highest", 1) != 0);
    out.op_cost = 6;
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

class ArgReduce final : public Composite {
 public:
  explicit ArgReduce(bool greatest) : greatest_(greatest) {}

  std::string_view type() const override { return greatest_ ? "ArgMax" : "ArgMin"; }
  std::string_view formula() const override {
    return greatest_ ? "out[a,b] = first i (last: select_last_index) where x[a,i,b] is largest, i "
                       "along axis; NaN counts as largest"
                     : "out[a,b] = first i (last: select_last_index) where x[a,i,b] is smallest, i "
                       "along axis; NaN counts as smallest";
  }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", AttributeKind::kInt},
                                   {"keepdims", AttributeKind::kInt},
                                   {"select_last_index", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", numeric_types()));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    const auto axis = axis_attribute(op, 0);
    if (!axis) return fail(axis.error());
    Ints dims = op.input(0).dims();
    if (dims[*axis] == 0) {
      return fail("onnx-shape", fmt::format("{}: axis {} of its input {} is empty and has no "
                                            "extreme; correct the model",
                                            label(op), *axis, to_text(op.input(0))));
    }
    if (keeps(op)) {
      dims[*axis] = 1;
    } else {
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(*axis));
    }
    return std::vector{TensorType(DType::kI64, dims)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const std::size_t axis = *axis_attribute(op, 0);
    const Ref x = to.input(0), axes = to.ints({static_cast<std::int64_t>(axis)});
    const Ref key =
        is_float(to.type(x).dtype)
            ? to.node("OrderKey", {x}, {{"nan_highest", std::int64_t{greatest_}}}, "frit")
            : x;
    const char* extreme = greatest_ ? "ReduceMax" : "ReduceMin";
    const Ref top = to.node(extreme, {key, axes}, {{"keepdims", std::int64_t{1}}});
    const bool last = op.opset >= 12 && int_attribute(op.attributes, "select_last_index", 0) != 0;
    const std::int64_t extent = op.input(0).dims()[axis];
    const Ref other = to.scalar(DType::kI32, last ? -1.0 : static_cast<double>(extent));
    const Ref places =
        to.node("Where", {to.node("Equal", {key, top}),
                          positions(to, extent, op.input(0).dims().size() - axis), other});
    const Ref place = to.node(last ? "ReduceMax" : "ReduceMin", {places, axes},
                              {{"keepdims", std::int64_t{keeps(op)}}});
    to.output(0, to.node("Cast", {place}, {{"to", std::int64_t{onnx_number(DType::kI64)}}}));
    return to.status();
  }

 private:
  static bool keeps(const OpInstance& op) {
    return int_attribute(op.attributes, "keepdims", 1) != 0;
  }
  /// 0, 1, … along the first of `rank` axes.
  static Ref positions(Expansion& to, std::int64_t extent, std::size_t rank) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(extent));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
    Ints dims(rank, 1);
    dims[0] = extent;
    return to.constant(Tensor::of(DType::kI32, dims, values));
  }

  bool greatest_;
};

}  // namespace

void add_arg_reduce(std::vector<const Operator*>& all) {
  all.push_back(new ArgReduce(true));
  all.push_back(new ArgReduce(false));
  all.push_back(new OrderKey);
}

}  // namespace frit

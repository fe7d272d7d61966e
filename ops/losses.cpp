// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss, by other operators.
//
//   picked[n,c,…] = x[n,c,…] where target[n,…] = c, else 0
//   loss[n,…] = -sum over c of picked * w[c];  mean = sum of loss / sum of the w that were picked
//
// The class that is to be ignored is none of the classes compared with. Everything is computed in
// float32 or wider and rounded at the end.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

class Loss final : public Composite {
 public:
  explicit Loss(bool softmax) : softmax_(softmax) {}
  std::string_view type() const override {
    return softmax_ ? "SoftmaxCrossEntropyLoss" : "NegativeLogLikelihoodLoss";
  }
  std::string_view formula() const override {
    return softmax_ ? "loss[n,d] = -w[c] * logp[n,c,d] at c = target[n,d], 0 where that is "
                      "ignore_index; logp = LogSoftmax(x) over c\nreduction: none; sum; mean: sum "
                      "of loss / sum of the w used"
                    : "loss[n,d] = -w[c] * x[n,c,d] at c = target[n,d], 0 where that is "
                      "ignore_index\nreduction: none; sum; mean: sum of loss / sum of the w used";
  }
  int first_opset() const override { return 12; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"ignore_index", AttributeKind::kInt},
                                   {"reduction", AttributeKind::kString}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 3));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    FRIT_TRY(check_dtype(op, 1, "its target", std::array{DType::kI32, DType::kI64}));
    FRIT_TRY(check_shapes(op));
    const std::string how = reduction(op);
    if (how != "none" && how != "sum" && how != "mean") {
      return fail("onnx-attribute",
                  fmt::format("{}: reduction is \"{}\" but must be \"none\", \"sum\" or \"mean\"; "
                              "correct the attribute",
                              label(op), how));
    }
    TensorType loss(op.input(0).dtype, how == "none" ? op.input(1).dims() : Ints{});
    if (softmax_ && op.outputs.size() > 1) return std::vector{loss, op.input(0)};
    return std::vector{loss};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const DType dtype = op.input(0).dtype;
    const DType wide = dtype == DType::kF64 ? dtype : DType::kF32;
    const auto cast = [&](Ref x, DType type) {
      return to.type(x).dtype == type ? x : to.node("Cast", {x}, {{"to", onnx_number(type)}});
    };
    Ref x = cast(to.input(0), wide);
    if (softmax_) x = to.node("LogSoftmax", {x}, {{"axis", std::int64_t{1}}});
    if (op.outputs.size() > 1) to.output(1, cast(x, dtype));
    to.output(0, cast(loss_of(op, to, x, wide), dtype));
    return to.status();
  }

 private:
  static std::string reduction(const OpInstance& op) {
    return string_attribute(op.attributes, "reduction", "mean");
  }

  /// input [n,c,…], target [n,…], weight [c].
  static Status check_shapes(const OpInstance& op) {
    const TensorType &x = op.input(0), &target = op.input(1);
    std::vector<Extent> want = x.shape;
    if (want.size() >= 2) want.erase(want.begin() + 1);
    if (x.rank() < 2 || target.shape != want) {
      return fail("onnx-shape", fmt::format("{}: its input is {} and its target {}, but they must "
                                            "be [n,c,...] and [n,...]; correct the model",
                                            label(op), to_text(x), to_text(target)));
    }
    if (!op.has_input(2)) return {};
    FRIT_TRY(check_same_dtype(op, 0, 2));
    if (op.input(2).shape == std::vector{x.shape[1]}) return {};
    return fail("onnx-shape",
                fmt::format("{}: its weight is {} but its input {} has {} classes; correct the "
                            "model",
                            label(op), to_text(op.input(2)), to_text(x), x.dims()[1]));
  }

  /// 0 … c-1 along axis 1; the ignored class is a number that no target is.
  static Ref classes(const OpInstance& op, Expansion& to) {
    const Ints dims = op.input(0).dims();
    Ints shape(dims.size() - 1, 1);
    shape[0] = dims[1];
    const bool narrow = op.input(1).dtype == DType::kI32;
    const std::int64_t lowest = narrow ? std::numeric_limits<std::int32_t>::min()
                                       : std::numeric_limits<std::int64_t>::min();
    Ints values;
    for (std::int64_t c = 0; c < dims[1]; ++c) values.push_back(c);
    const std::int64_t ignored = int_attribute(op.attributes, "ignore_index", -1);
    if (ignored >= 0 && ignored < dims[1]) values[static_cast<std::size_t>(ignored)] = lowest;
    if (!narrow) return to.constant(Tensor::i64(shape, values));
    return to.constant(Tensor::of<std::int32_t>(
        DType::kI32, shape, std::vector<std::int32_t>(values.begin(), values.end())));
  }

  static Ref loss_of(const OpInstance& op, Expansion& to, Ref x, DType wide) {
    const Ints dims = to.dims(x);
    const Ref zero = to.scalar(wide, 0.0);
    const Ref target = to.node("Unsqueeze", {to.input(1), to.ints({1})});
    const Ref hit = to.node("Equal", {target, classes(op, to)});
    Ref weight;
    if (to.input(2)) {
      Ints shape(dims.size() - 1, 1);
      shape[0] = dims[1];
      weight = to.node("Reshape", {to.input(2), to.ints(shape)}, {{"allowzero", std::int64_t{1}}});
      if (to.type(weight).dtype != wide) {
        weight = to.node("Cast", {weight}, {{"to", onnx_number(wide)}});
      }
    }
    Ref picked = to.node("Where", {hit, weight ? to.node("Mul", {x, weight}) : x, zero});
    const std::string how = reduction(op);
    Ints axes = {1};
    if (how != "none") {
      axes.clear();
      for (std::size_t a = 0; a < dims.size(); ++a) axes.push_back(static_cast<std::int64_t>(a));
    }
    const auto sum = [&](Ref value) {
      return to.node("ReduceSum", {value, to.ints(axes)}, {{"keepdims", std::int64_t{0}}});
    };
    const Ref loss = to.node("Neg", {sum(picked)});
    if (how != "mean") return loss;
    if (!weight && !has_attribute(op.attributes, "ignore_index")) {
      return to.node("Div", {loss, to.scalar(wide, static_cast<double>(op.input(1).elements()))});
    }
    const Ref one = weight ? weight : to.scalar(wide, 1.0);
    return to.node("Div", {loss, sum(to.node("Where", {hit, one, zero}))});
  }

  bool softmax_;
};

}  // namespace

void add_losses(std::vector<const Operator*>& all) {
  all.push_back(new Loss(false));
  all.push_back(new Loss(true));
}

}  // namespace frit

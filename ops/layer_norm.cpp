// LayerNormalization and RMSNormalization over the axes from `axis` to the last.
//
//   mean[row] = mean_acc / n;  rstd[row] = 1 / sqrt(var_acc / n + epsilon)
//   res = (x - mean) * rstd * scale + bias          mean_acc = sum x;  var_acc = sum (x - mean)^2
//   RMSNormalization: no mean, no bias; rstd from ms_acc = sum x^2
//
// The variance is summed in a second pass over x - mean, so a large mean cancels nothing.
#include <fmt/format.h>

#include <algorithm>

#include "ops/broadcast.h"
#include "ops/halide_type.h"
#include "ops/math.h"
#include "ops/norm_parts.h"
#include "ops/operator.h"
#include "ops/rows.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::Expr;
using Halide::Type;

class Normalization final : public Operator {
 public:
  Normalization(std::string_view type, int first_opset, bool centred)
      : type_(type), first_opset_(first_opset), centred_(centred) {}

  std::string_view type() const override { return type_; }
  std::string_view formula() const override {
    return centred_ ? "out[i,r] = (x[i,r] - mean[i]) / sqrt(var[i] + epsilon) * scale[r] + "
                      "bias[r]\nmean[i] = 1/R sum_r x[i,r], var[i] = 1/R sum_r (x[i,r] - "
                      "mean[i])^2, r over axis and all after"
                    : "out[i,r] = x[i,r] / sqrt(1/R sum_s x[i,s]^2 + epsilon) * scale[r], r over "
                      "axis and all after";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"axis", kInt}, {"epsilon", kFloat}, {"stash_type", kInt}};
    return all;
  }
  int first_opset() const override { return first_opset_; }
  OpKind kind(const OpInstance&) const override { return OpKind::kChain; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, centred_ ? 3 : 2));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    const auto axes = axes_of(op);
    if (!axes) return fail(axes.error());
    FRIT_TRY(check_stash_type(op));
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      if (!op.has_input(i)) continue;
      FRIT_TRY(check_same_dtype(op, 0, i));
      FRIT_TRY(check_stretches(op, i));
    }
    std::vector<TensorType> types(std::max<std::size_t>(1, op.outputs.size()), statistics_type(op));
    types[0] = op.input(0);
    if (types.size() > most_outputs()) types.resize(most_outputs());
    return types;
  }

  bool expands(const OpInstance& op) const override {
    return op.outputs.size() > 1 || joins_axes(op);
  }
  Status expand(const OpInstance& op, Expansion& to) const override {
    std::vector<Ref> inputs;
    for (std::size_t i = 0; i < op.inputs.size(); ++i) inputs.push_back(to.input(i));
    const std::string type(type_);
    if (op.outputs.size() > 1) {
      to.output(0, to.node(type, inputs, op.attributes));
      add_statistics(op, to);
      return to.status();
    }
    const std::vector<std::int64_t> dims = op.input(0).dims();
    const std::int64_t axis = axes_of(op)->at(0);
    const std::int64_t elements = op.input(1).elements();
    std::vector<std::int64_t> view(dims.begin(), dims.begin() + axis);
    view.push_back(elements);
    inputs[0] = reshaped(to, inputs[0], view);
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      if (inputs[i]) inputs[i] = reshaped(to, inputs[i], {elements});
    }
    AttributeMap attributes = op.attributes;
    attributes["axis"] = std::int64_t{-1};
    to.output(0, reshaped(to, to.node(type, inputs, std::move(attributes)), dims));
    return to.status();
  }

  Status canonicalise(OpInstance& op) const override {
    const auto axes = axes_of(op);
    if (!axes) return fail(axes.error());
    op.attributes = {{"axis", axes->at(0)},
                     {"epsilon", float_attribute(op.attributes, "epsilon", 1e-5F)}};
    if (op.inputs.size() > 2 && !op.has_input(2)) {
      op.inputs.resize(2);
      op.constants.resize(2);
    }
    return {};
  }

  std::string anchor(const OpInstance&) const override {
    return centred_ ? "layer_norm" : "rms_norm";
  }
  std::vector<std::string> axis_names(const OpInstance& op) const override {
    return row_axis_names(op.input(0).rank(), canonical_axes(op));
  }
  Facts facts(const OpInstance& op) const override {
    return row_facts(op.input(0).dims(), canonical_axes(op));
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    Rows rows(stages, canonical_axes(op));
    const Type type = halide_type(op.outputs.at(0).dtype);
    const Type wide = compute_type(type);
    const auto x = [&](const Index& at) { return Halide::cast(wide, operands[0].at(at)); };
    const Expr per_element = constant_of(wide, 1.0 / static_cast<double>(rows.row_elements()));
    const Expr epsilon = constant_of(wide, epsilon_of(op));
    const auto zero = constant_of(wide, 0.0);

    std::function<Expr(const Index&)> centred = x;
    Index at;
    if (centred_) {
      Stage& total = rows.accumulator("mean_acc", at);
      total() = zero;
      total() += x(at);
      Stage& mean = rows.statistic("mean");
      mean() = total() * per_element;
      centred = [x, &mean, &rows](const Index& i) { return x(i) - mean(rows.row_of(i)); };
    }
    Stage& squares = rows.accumulator(centred_ ? "var_acc" : "ms_acc", at);
    squares() = zero;
    squares() += centred(at) * centred(at);
    Stage& scale = rows.statistic("rstd");
    scale() = constant_of(wide, 1.0) / Halide::sqrt(squares() * per_element + epsilon);
    scale.op_cost = 8;

    const Index here = stages.index();
    const auto parameter = [&](std::size_t i) {
      return Halide::cast(wide, read_broadcast(operands[i], here, stages.extents()));
    };
    Expr result = centred(here) * scale(rows.row()) * parameter(1);
    if (op.has_input(2)) result = result + parameter(2);
    Stage& res = stages.stage("res");
    res() = Halide::cast(type, result);
    res.op_cost = 4;
  }

  Counts counts(const OpInstance& op) const override {
    return {op.outputs.at(0).elements() * (centred_ ? 8 : 5), 0};
  }

 private:
  /// Several axes that scale and bias fill are one to the view that makes them one, and rows of one
  /// axis are what schedules know.
  static bool joins_axes(const OpInstance& op) {
    const auto axes = axes_of(op);
    if (!axes || axes->size() < 2) return false;
    const std::vector<Extent>& shape = op.input(0).shape;
    const std::vector<Extent> row(shape.begin() + axes->at(0), shape.end());
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      if (op.has_input(i) && op.input(i).shape != row) return false;
    }
    return true;
  }
  static void add_statistics(const OpInstance& op, Expansion& to) {
    const Ref x = widened(to, to.input(0));
    const Moments m = moments(to, x, *axes_of(op));
    const DType dtype = statistics_type(op).dtype;
    to.output(1, cast_to(to, m.mean, dtype));
    if (op.outputs.size() < 3) return;
    const Ref epsilon = to.scalar(to.type(x).dtype, epsilon_of(op));
    const Ref deviation = to.node("Sqrt", {to.node("Add", {m.variance, epsilon})});
    to.output(2, cast_to(to, to.node("Reciprocal", {deviation}), dtype));
  }
  std::size_t most_outputs() const { return centred_ ? 3 : 1; }
  static double epsilon_of(const OpInstance& op) {
    return static_cast<double>(float_attribute(op.attributes, "epsilon", 1e-5F));
  }
  /// Mean and InvStdDev: float32, the normalised axes of extent 1.
  static TensorType statistics_type(const OpInstance& op) {
    TensorType type = op.input(0);
    type.dtype = DType::kF32;
    const auto axes = axes_of(op);
    for (const std::int64_t axis : *axes) type.shape[static_cast<std::size_t>(axis)] = Extent(1);
    return type;
  }
  static Result<std::vector<std::int64_t>> axes_of(const OpInstance& op) {
    const int rank = op.input(0).rank();
    const auto first = normal_axes(op, {int_attribute(op.attributes, "axis", -1)}, rank);
    if (!first) return first;
    std::vector<std::int64_t> axes;
    for (std::int64_t a = first->at(0); a < rank; ++a) axes.push_back(a);
    return axes;
  }
  static std::vector<std::int64_t> canonical_axes(const OpInstance& op) {
    std::vector<std::int64_t> axes;
    const int rank = op.input(0).rank();
    for (std::int64_t a = int_attribute(op.attributes, "axis", -1); a < rank; ++a) {
      axes.push_back(a);
    }
    return axes;
  }
  /// Input i must broadcast to the data without enlarging it.
  static Status check_stretches(const OpInstance& op, std::size_t i) {
    const std::size_t both[] = {0, i};
    const auto shape = broadcast_inputs(op, both);
    if (!shape) return fail(shape.error());
    if (*shape == op.input(0).shape) return {};
    return fail(
        "onnx-shape",
        fmt::format("{}: {} {} would enlarge the input {}; it may only broadcast to it", label(op),
                    i == 1 ? "scale" : "bias", to_text(op.input(i)), to_text(op.input(0))));
  }

  std::string_view type_;
  int first_opset_;
  bool centred_;
};

}  // namespace

void add_layer_norm(std::vector<const Operator*>& all) {
  all.push_back(new Normalization("LayerNormalization", 17, true));
  all.push_back(new Normalization("RMSNormalization", 23, false));
}

}  // namespace frit

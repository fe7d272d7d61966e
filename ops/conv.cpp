#include "ops/conv.h"

#include <fmt/format.h>

#include <array>

#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/rules.h"
#include "ops/window.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::RVar;

enum class Form : std::uint8_t { kDense, kDepthwise, kGrouped };

/// Extents that all rules read. `channels` counts those of one group.
struct ConvShape {
  std::int64_t group = 1, channels = 0, filters = 0;
  std::vector<std::int64_t> kernel;
};

ConvShape shape_of(const OpInstance& op) {
  const std::vector<std::int64_t> w = op.input(1).dims();
  return {int_attribute(op.attributes, "group", 1), w[1], w[0], {w.begin() + 2, w.end()}};
}

Form form_of(const OpInstance& op) {
  const ConvShape shape = shape_of(op);
  if (shape.group == 1) return Form::kDense;
  const bool one_each = shape.channels == 1 && shape.filters == shape.group;
  return one_each ? Form::kDepthwise : Form::kGrouped;
}

Window checked_window(const OpInstance& op) {
  auto window = window_of(op, shape_of(op).kernel);
  FRIT_ASSERT(window.has_value(), "a convolution that infer accepted");
  return *std::move(window);
}

Status check_shapes(const OpInstance& op) {
  const TensorType &in = op.input(0), &w = op.input(1);
  if (w.rank() != in.rank() || in.rank() < 3) {
    return fail("onnx-shape",
                fmt::format("{}: its weights are {} but its input is {}; both need the "
                            "same rank, 3 or more; correct the model",
                            label(op), to_text(w), to_text(in)));
  }
  FRIT_TRY(check_constant_shape(op, 1, "its weights"));
  const ConvShape shape = shape_of(op);
  const std::int64_t channels = in.dims()[1];
  if (shape.group < 1 || shape.group > kMaxExtent || shape.filters % shape.group != 0) {
    return fail("onnx-attribute", fmt::format("{}: group is {} but its weights {} have {} filters, "
                                              "which it must divide; correct the attribute",
                                              label(op), shape.group, to_text(w), shape.filters));
  }
  if (shape.channels > kMaxExtent || shape.channels * shape.group != channels) {
    return fail(
        "onnx-shape",
        fmt::format("{}: its weights {} and group {} ask for {} channels but its input {} has "
                    "{}; re-export the model or pass --shape",
                    label(op), to_text(w), shape.group, shape.channels * shape.group, to_text(in),
                    channels));
  }
  const auto stated = ints_attribute(op.attributes, "kernel_shape", shape.kernel);
  if (stated != shape.kernel) {
    return fail("onnx-attribute",
                fmt::format("{}: kernel_shape is {} but its weights are {}; correct the attribute",
                            label(op), dims_text(stated), to_text(w)));
  }
  if (op.has_input(2) && op.input(2).dims() != std::vector<std::int64_t>{shape.filters}) {
    return fail("onnx-shape",
                fmt::format("{}: its bias is {} but its weights {} need [{}]; correct "
                            "the model",
                            label(op), to_text(op.input(2)), to_text(w), shape.filters));
  }
  return {};
}

/// ONNX's, of floats, or in domain "frit" one of int32, which quantised convolutions become.
class Conv final : public Operator {
 public:
  explicit Conv(bool integer) : integer_(integer) {}
  std::string_view type() const override { return "Conv"; }
  std::string_view formula() const override {
    return "out[n,f,y,x] = b[f] + sum_{c,ry,rx} x[n,g(f)+c,y*sy+ry*dy-py,x*sx+rx*dx-px] * "
           "w[f,c,ry,rx]\n"
           "g(f): first channel of f's group; 0 outside x; 1, 2 or 3 spatial axes";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"auto_pad", kString}, {"dilations", kInts},
                                   {"group", kInt},       {"kernel_shape", kInts},
                                   {"pads", kInts},       {"strides", kInts}};
    return all;
  }
  std::string_view domain() const override { return integer_ ? "frit" : ""; }
  OpKind kind(const OpInstance&) const override { return OpKind::kReduction; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 3));
    static constexpr std::array kInteger = {DType::kI32};
    FRIT_TRY(check_dtype(op, 0, "its input", integer_ ? std::span(kInteger) : float_types()));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    if (op.has_input(2)) FRIT_TRY(check_same_dtype(op, 0, 2));
    FRIT_TRY(check_shapes(op));
    auto window = window_of(op, shape_of(op).kernel);
    if (!window) return fail(std::move(window).error());
    TensorType out = op.input(0);
    out.shape[1] = shape_of(op).filters;
    for (std::size_t axis = 0; axis < window->rank(); ++axis)
      out.shape[axis + 2] = window->out[axis];
    FRIT_TRY(check_size(op, out.dims()));
    return std::vector{out};
  }

  Status canonicalise(OpInstance& op) const override {
    set_window_attributes(op, checked_window(op));
    op.attributes["group"] = shape_of(op).group;
    return {};
  }

  std::string anchor(const OpInstance& op) const override {
    const int rank = op.input(0).rank() - 2;
    const std::string suffix = fmt::format("{}d", rank);
    switch (form_of(op)) {
      case Form::kDense:
        return "conv" + suffix;
      case Form::kGrouped:
        return "grouped_conv" + suffix;
      case Form::kDepthwise:
        break;
    }
    return rank == 2 ? "depthwise" : "depthwise" + suffix;
  }

  std::vector<std::string> axis_names(const OpInstance& op) const override {
    return image_axes(op, "k");
  }

  Facts facts(const OpInstance& op) const override {
    Facts facts = Operator::facts(op);
    facts["c"] = shape_of(op).channels;
    facts["group"] = shape_of(op).group;
    add_window_facts(checked_window(op), facts);
    return facts;
  }

  std::vector<std::string> constant_axes(const OpInstance& op, std::size_t input) const override {
    if (input == 2) return {"k"};
    if (input != 1) return Operator::constant_axes(op, input);
    std::vector<std::string> names = {"k", "c"};
    for (const auto& name : spatial_names(shape_of(op).kernel.size())) names.push_back("r" + name);
    return names;
  }

  std::string constant_role(const OpInstance&, std::size_t input) const override {
    return input == 1 ? "w" : input == 2 ? "b" : "";
  }

  Reach reach(const OpInstance& op, std::size_t input) const override {
    return input == 0 ? window_reach(checked_window(op), 0.0) : Reach{};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override;

  Counts counts(const OpInstance& op) const override {
    const ConvShape shape = shape_of(op);
    const std::int64_t outputs = op.outputs.at(0).elements();
    Counts counts;
    counts.flop =
        outputs * (2 * shape.channels * checked_window(op).taps() + (op.has_input(2) ? 1 : 0));
    return counts;
  }

 private:
  bool integer_;
};

void Conv::build(const OpInstance& op, const std::vector<Operand>& operands,
                 StageBuilder& stages) const {
  const ConvShape shape = shape_of(op);
  const Window window = checked_window(op);
  const Form form = form_of(op);
  const Halide::Type result_type = halide_type(op.outputs.at(0).dtype);
  const Halide::Type sum_type = compute_type(result_type);

  Stage& acc = stages.stage("acc");
  const Index at = stages.index();
  const Expr &n = at[0], &k = at[1];
  acc() =
      op.has_input(2) ? cast(sum_type, operands[2].at({k})) : Halide::Internal::make_zero(sum_type);

  std::vector<std::string> names;
  std::vector<std::int64_t> extents;
  if (form != Form::kDepthwise) {
    names.push_back("c");
    extents.push_back(shape.channels);
  }
  const std::vector<std::string> spatial = spatial_names(window.rank());
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    names.push_back("r" + spatial[axis]);
    extents.push_back(window.kernel[axis]);
  }
  const Halide::RDom domain = reduction_domain(names, extents, acc.reduction);
  const Expr c = form == Form::kDepthwise ? Expr(0) : Expr(acc.reduction.at("c"));
  Expr channel = form == Form::kDepthwise ? k : c;
  if (form == Form::kGrouped) {
    const int per_group = static_cast<int>(shape.filters / shape.group);
    channel = k / per_group * static_cast<int>(shape.channels) + c;
  }
  Index in_at = {n, channel}, w_at = {k, c};
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    const Expr tap = acc.reduction.at("r" + spatial[axis]);
    in_at.push_back(window_index(window, axis, at[axis + 2], tap));
    w_at.push_back(tap);
  }
  const Reach beyond = window_reach(window, 0.0);
  const Expr in = read_padded(operands[0], in_at, beyond.low, beyond.high, beyond.fill);
  acc() += cast(sum_type, operands[1].at(w_at)) * cast(sum_type, in);
  if (sum_type != result_type) {
    const Expr sum = acc();
    stages.stage("narrow")() = cast(result_type, sum);
  }
}

}  // namespace

void add_conv(std::vector<const Operator*>& all) {
  static const Conv conv(false), of_integers(true);
  all.push_back(&conv);
  all.push_back(&of_integers);
}

}  // namespace frit

#include "ops/conv_transpose.h"

#include <fmt/format.h>

#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/rules.h"
#include "ops/transposed_window.h"
#include "ops/window.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;

enum class Form : std::uint8_t { kDense, kDepthwise, kGrouped };

/// Extents that all rules read. `channels` and `filters` count those of one group.
struct FilterShape {
  std::int64_t group = 1, channels = 0, filters = 0;
  std::vector<std::int64_t> kernel;
};

FilterShape shape_of(const OpInstance& op) {
  const std::vector<std::int64_t> w = op.input(1).dims();
  const std::int64_t group = int_attribute(op.attributes, "group", 1);
  return {group, group > 0 ? w[0] / group : 0, w[1], {w.begin() + 2, w.end()}};
}

Form form_of(const OpInstance& op) {
  const FilterShape shape = shape_of(op);
  if (shape.group == 1) return Form::kDense;
  return shape.channels == 1 && shape.filters == 1 ? Form::kDepthwise : Form::kGrouped;
}

TransposedWindow checked_window(const OpInstance& op) {
  auto window = transposed_window_of(op, shape_of(op).kernel);
  FRIT_ASSERT(window.has_value(), "a transposed convolution that infer accepted");
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
  FRIT_TRY(check_constant_shape(op, 0, "its input"));
  const FilterShape shape = shape_of(op);
  const std::int64_t channels = in.dims()[1];
  if (w.dims()[0] != channels) {
    return fail("onnx-shape",
                fmt::format("{}: its weights {} ask for {} channels but its input {} has {}; "
                            "re-export the model or pass --shape",
                            label(op), to_text(w), w.dims()[0], to_text(in), channels));
  }
  if (shape.group < 1 || shape.group > kMaxExtent || channels % shape.group != 0) {
    return fail("onnx-attribute",
                fmt::format("{}: group is {} but its input {} has {} channels, which it must "
                            "divide; correct the attribute",
                            label(op), shape.group, to_text(in), channels));
  }
  const auto stated = ints_attribute(op.attributes, "kernel_shape", shape.kernel);
  if (stated != shape.kernel) {
    return fail("onnx-attribute",
                fmt::format("{}: kernel_shape is {} but its weights are {}; correct the attribute",
                            label(op), dims_text(stated), to_text(w)));
  }
  if (shape.filters > kMaxExtent / shape.group) {
    return fail("onnx-too-large", fmt::format("{}: its weights {} in {} groups make too many "
                                              "channels; correct the model",
                                              label(op), to_text(w), shape.group));
  }
  const std::int64_t made = shape.filters * shape.group;
  if (op.has_input(2) && op.input(2).dims() != std::vector<std::int64_t>{made}) {
    return fail("onnx-shape", fmt::format("{}: its bias is {} but its weights {} need [{}]; "
                                          "correct the model",
                                          label(op), to_text(op.input(2)), to_text(w), made));
  }
  return {};
}

class ConvTranspose final : public Operator {
 public:
  std::string_view type() const override { return "ConvTranspose"; }
  OpKind kind(const OpInstance&) const override { return OpKind::kReduction; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 3));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    FRIT_TRY(check_same_dtype(op, 0, 1));
    if (op.has_input(2)) FRIT_TRY(check_same_dtype(op, 0, 2));
    FRIT_TRY(check_shapes(op));
    const FilterShape shape = shape_of(op);
    auto window = transposed_window_of(op, shape.kernel);
    if (!window) return fail(std::move(window).error());
    TensorType out = op.input(0);
    out.shape[1] = shape.filters * shape.group;
    for (std::size_t axis = 0; axis < window->rank(); ++axis)
      out.shape[axis + 2] = window->out[axis];
    FRIT_TRY(check_size(op, out.dims()));
    return std::vector{out};
  }

  Status canonicalise(OpInstance& op) const override {
    set_transposed_window_attributes(op, checked_window(op));
    op.attributes["group"] = shape_of(op).group;
    return {};
  }

  std::string anchor(const OpInstance& op) const override {
    static constexpr const char* kNames[] = {"conv_transpose", "depthwise_transpose",
                                             "grouped_transpose"};
    return fmt::format("{}{}d", kNames[static_cast<int>(form_of(op))], op.input(0).rank() - 2);
  }

  std::vector<std::string> axis_names(const OpInstance& op) const override {
    std::vector<std::string> names = {"n", "k"};
    for (auto& name : spatial_names(static_cast<std::size_t>(op.input(0).rank()) - 2)) {
      names.push_back(std::move(name));
    }
    return names;
  }

  Facts facts(const OpInstance& op) const override {
    Facts facts = Operator::facts(op);
    facts["c"] = shape_of(op).channels;
    facts["group"] = shape_of(op).group;
    const TransposedWindow window = checked_window(op);
    const std::vector<std::string> names = spatial_names(window.rank());
    for (std::size_t axis = 0; axis < window.rank(); ++axis) {
      facts["r" + names[axis]] = window.taps(axis);
      facts["kernel_" + names[axis]] = window.kernel[axis];
      facts["stride_" + names[axis]] = window.strides[axis];
      facts["dilation_" + names[axis]] = window.dilations[axis];
      facts["in_" + names[axis]] = window.in[axis];
    }
    return facts;
  }

  std::vector<std::string> constant_axes(const OpInstance& op, std::size_t input) const override {
    if (input == 2) return {"k"};
    if (input != 1) return Operator::constant_axes(op, input);
    std::vector<std::string> names = {"c", "k"};
    for (const auto& name : spatial_names(shape_of(op).kernel.size())) names.push_back("r" + name);
    return names;
  }

  std::string constant_role(const OpInstance&, std::size_t input) const override {
    return input == 1 ? "w" : input == 2 ? "b" : "";
  }

  Reach reach(const OpInstance& op, std::size_t input) const override {
    return input == 0 ? transposed_reach(checked_window(op)) : Reach{};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override;

  Counts counts(const OpInstance& op) const override {
    const FilterShape shape = shape_of(op);
    Counts counts;
    counts.flop = 2 * op.input(0).elements() * shape.filters * checked_window(op).kernel_size();
    if (op.has_input(2)) counts.flop += op.outputs.at(0).elements();
    return counts;
  }
};

void ConvTranspose::build(const OpInstance& op, const std::vector<Operand>& operands,
                          StageBuilder& stages) const {
  const FilterShape shape = shape_of(op);
  const TransposedWindow window = checked_window(op);
  const Form form = form_of(op);
  const Halide::Type result_type = halide_type(op.outputs.at(0).dtype);
  const Halide::Type sum_type = compute_type(result_type);

  Stage& acc = stages.stage("acc");
  const Index at = stages.index();
  const Expr &n = at[0], &k = at[1];
  const Expr zero = Halide::Internal::make_zero(sum_type);
  acc() = op.has_input(2) ? cast(sum_type, operands[2].at({k})) : zero;

  std::vector<std::string> names;
  std::vector<std::int64_t> extents;
  if (form != Form::kDepthwise) {
    names.push_back("c");
    extents.push_back(shape.channels);
  }
  const std::vector<std::string> spatial = spatial_names(window.rank());
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    names.push_back("r" + spatial[axis]);
    extents.push_back(window.taps(axis));
  }
  reduction_domain(names, extents, acc.reduction);
  Expr channel = form == Form::kDepthwise ? k : Expr(acc.reduction.at("c"));
  Expr filter = form == Form::kDepthwise ? Expr(0) : k;
  if (form == Form::kGrouped) {
    const int per_group = static_cast<int>(shape.filters);
    channel = k / per_group * static_cast<int>(shape.channels) + channel;
    filter = k % per_group;
  }
  const Reach beyond = transposed_reach(window);
  Index in_at = {n, channel}, w_at = {channel, filter};
  Expr exists;
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    const TransposedTap tap =
        transposed_tap(window, axis, at[axis + 2], acc.reduction.at("r" + spatial[axis]));
    in_at.push_back(
        window.strides[axis] == 1 || window.dilations[axis] == 1
            ? tap.input
            // Halide takes phase and position for independent and would read wider.
            : Halide::clamp(tap.input, -static_cast<int>(beyond.low[axis + 2]),
                            static_cast<int>(window.in[axis] - 1 + beyond.high[axis + 2])));
    w_at.push_back(tap.tap);
    if (tap.exists.defined()) exists = exists.defined() ? exists && tap.exists : tap.exists;
  }
  const Expr in = read_padded(operands[0], in_at, beyond.low, beyond.high, beyond.fill);
  const Expr product = cast(sum_type, operands[1].at(w_at)) * cast(sum_type, in);
  // The product is chosen, not its factor: 0 * inf must not come in where there is no tap.
  acc() += exists.defined() ? Halide::select(exists, product, zero) : product;
  if (sum_type != result_type) {
    const Expr sum = acc();
    stages.stage("narrow")() = cast(result_type, sum);
  }
}

}  // namespace

void add_conv_transpose(std::vector<const Operator*>& all) {
  static const ConvTranspose conv_transpose;
  all.push_back(&conv_transpose);
}

}  // namespace frit

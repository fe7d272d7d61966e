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

enum class Form : std::uint8_t { kDense, kDepthwise, kGrouped, kNarrow };

/// Channels of a result whose vectors run along x instead.
constexpr std::int64_t kNarrowFilters = 4;

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

TransposedWindow checked_window(const OpInstance& op) {
  auto window = transposed_window_of(op, shape_of(op).kernel);
  FRIT_ASSERT(window.has_value(), "a transposed convolution that infer accepted");
  return *std::move(window);
}

/// Whole cells of stride_y x stride_x outputs.
bool has_whole_cells(const TransposedWindow& window) {
  bool strided = false;
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    const std::int64_t stride = window.strides[axis];
    strided = strided || stride > 1;
    if (window.out[axis] % stride != 0) return false;
  }
  return strided;
}

Form form_of(const OpInstance& op, const TransposedWindow& window) {
  const FilterShape shape = shape_of(op);
  if (shape.group > 1) {
    return shape.channels == 1 && shape.filters == 1 ? Form::kDepthwise : Form::kGrouped;
  }
  const bool narrow = shape.filters < kNarrowFilters && has_whole_cells(window);
  return narrow ? Form::kNarrow : Form::kDense;
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
  std::string_view formula() const override {
    return "out[n,f,y,x] = b[f] + sum_{c,ry,rx} x[n,c,v,u] * w[c,f,ry,rx] over v*sy + ry*dy - py = "
           "y, u*sx + rx*dx - px = x\n"
           "f within its group; extent (in-1)*stride + output_padding + (k-1)*dilation + 1 - pads";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"auto_pad", kString},     {"dilations", kInts},
                                   {"group", kInt},           {"kernel_shape", kInts},
                                   {"output_padding", kInts}, {"output_shape", kInts},
                                   {"pads", kInts},           {"strides", kInts}};
    return all;
  }
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
                                             "grouped_transpose", "narrow_transpose"};
    const Form form = form_of(op, checked_window(op));
    return fmt::format("{}{}d", kNames[static_cast<int>(form)], op.input(0).rank() - 2);
  }

  std::vector<std::string> axis_names(const OpInstance& op) const override {
    return image_axes(op, "k");
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

/// Axes of "acc": the output's, or those of cells ("qy", "qx") and phases ("py", "px").
struct Sum {
  Stage* acc = nullptr;
  Index at;  ///< n, k and the output position of each spatial axis
};

Sum whole_sum(StageBuilder& stages) { return {&stages.stage("acc"), stages.index()}; }

/// The phases of one cell lie apart, so that a vector of cells is a vector in memory.
Sum celled_sum(const TransposedWindow& window, StageBuilder& stages) {
  const std::size_t rank = window.rank();
  const std::vector<std::string> names = spatial_names(rank);
  std::vector<Halide::Var> axes = {stages.axes()[0], stages.axes()[1]};
  std::vector<std::int64_t> extents = {stages.extents()[0], stages.extents()[1]};
  for (const bool phases : {true, false}) {
    for (std::size_t axis = 0; axis < rank; ++axis) {
      axes.emplace_back((phases ? "p" : "q") + names[axis]);
      const std::int64_t stride = window.strides[axis];
      extents.push_back(phases ? stride : window.out[axis] / stride);
    }
  }
  std::vector<int> order;
  for (std::size_t axis = axes.size(); axis-- > 0;) order.push_back(static_cast<int>(axis));
  Sum sum{&stages.stage_own("acc", axes, order, extents), {axes[0], axes[1]}};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    sum.at.push_back(axes[2 + rank + axis] * static_cast<int>(window.strides[axis]) +
                     axes[2 + axis]);
  }
  return sum;
}

/// The celled sum at the output's axes.
Expr celled_value(const TransposedWindow& window, const Index& at, Stage& acc) {
  Index cells = {at[0], at[1]};
  for (const bool phases : {true, false}) {
    for (std::size_t axis = 0; axis < window.rank(); ++axis) {
      const int stride = static_cast<int>(window.strides[axis]);
      cells.push_back(phases ? at[axis + 2] % stride : at[axis + 2] / stride);
    }
  }
  return acc(cells);
}

/// Where one product comes from: indices of the weights and the input.
struct Tap {
  Index weight, input;
  Expr exists;  ///< undefined: always
};

/// Names the reduction axes of `acc`.
Tap tap_of(const FilterShape& shape, Form form, const TransposedWindow& window, const Sum& sum,
           Stage& acc) {
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
  const Expr &n = sum.at[0], &k = sum.at[1];
  Expr channel = form == Form::kDepthwise ? k : Expr(acc.reduction.at("c"));
  Expr filter = form == Form::kDepthwise ? Expr(0) : k;
  if (form == Form::kGrouped) {
    const int per_group = static_cast<int>(shape.filters);
    channel = k / per_group * static_cast<int>(shape.channels) + channel;
    filter = k % per_group;
  }
  const Operator::Reach beyond = transposed_reach(window);
  Tap result{{channel, filter}, {n, channel}, {}};
  for (std::size_t axis = 0; axis < window.rank(); ++axis) {
    const TransposedTap tap =
        transposed_tap(window, axis, sum.at[axis + 2], acc.reduction.at("r" + spatial[axis]));
    const int low = static_cast<int>(beyond.low[axis + 2]);
    const int last = static_cast<int>(window.in[axis] - 1 + beyond.high[axis + 2]);
    const bool plain = window.strides[axis] == 1 || window.dilations[axis] == 1;
    // Halide takes phase and position of a dilated kernel for independent and would read wider.
    result.input.push_back(plain ? tap.input : Halide::clamp(tap.input, -low, last));
    result.weight.push_back(tap.tap);
    if (!tap.exists.defined()) continue;
    result.exists = result.exists.defined() ? result.exists && tap.exists : tap.exists;
  }
  return result;
}

void ConvTranspose::build(const OpInstance& op, const std::vector<Operand>& operands,
                          StageBuilder& stages) const {
  const FilterShape shape = shape_of(op);
  const TransposedWindow window = checked_window(op);
  const Form form = form_of(op, window);
  const Halide::Type result_type = halide_type(op.outputs.at(0).dtype);
  const Halide::Type sum_type = compute_type(result_type);
  const Sum sum = form == Form::kNarrow ? celled_sum(window, stages) : whole_sum(stages);
  Stage& acc = *sum.acc;
  const Expr zero = Halide::Internal::make_zero(sum_type);
  acc() = op.has_input(2) ? cast(sum_type, operands[2].at({sum.at[1]})) : zero;

  const Tap tap = tap_of(shape, form, window, sum, acc);
  const Reach beyond = transposed_reach(window);
  const Expr in = read_padded(operands[0], tap.input, beyond.low, beyond.high, beyond.fill);
  const Expr product = cast(sum_type, operands[1].at(tap.weight)) * cast(sum_type, in);
  // The product is chosen, not its factor: 0 * inf must not come in where there is no tap.
  acc() += tap.exists.defined() ? Halide::select(tap.exists, product, zero) : product;
  if (form == Form::kNarrow) {
    stages.stage("cells")() = cast(result_type, celled_value(window, stages.index(), acc));
  } else if (sum_type != result_type) {
    const Expr value = acc();
    stages.stage("narrow")() = cast(result_type, value);
  }
}

}  // namespace

void add_conv_transpose(std::vector<const Operator*>& all) {
  static const ConvTranspose conv_transpose;
  all.push_back(&conv_transpose);
}

}  // namespace frit

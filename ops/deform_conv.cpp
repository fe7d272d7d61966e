// DeformConv: a convolution whose taps are moved by offsets.
//
// It becomes the columns that the taps read (DeformColumns, domain "frit": bilinear samples, zero
// outside, times the mask) and one product with the weights. float16 and bfloat16 go through
// float32.
#include <fmt/format.h>

#include <algorithm>

#include "ops/arithmetic.h"
#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/operator.h"
#include "ops/rules.h"
#include "ops/window.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::select;
using Halide::Var;
using Ints = std::vector<std::int64_t>;

std::int64_t offset_groups(const OpInstance& op) {
  return int_attribute(op.attributes, "offset_group", 1);
}

/// Error "onnx-shape" unless input `i` is of these extents.
Status check_dims(const OpInstance& op, std::size_t i, const char* name, const Ints& wanted) {
  if (op.input(i).dims() == wanted) return {};
  return fail("onnx-shape", fmt::format("{}: its {} is {} but must be {} beside its input {}; "
                                        "correct the model or pass --shape",
                                        label(op), name, to_text(op.input(i)), dims_text(wanted),
                                        to_text(op.input(0))));
}

/// The window, and offsets and mask that fit it. `kernel` of two axes.
Result<Window> deform_window_of(const OpInstance& op, const Ints& kernel, std::size_t offset,
                                std::size_t mask) {
  if (op.input(0).rank() != 4) {
    return fail("onnx-shape", fmt::format("{}: its input is {} but must be [n,c,h,w]; reshape it "
                                          "before",
                                          label(op), to_text(op.input(0))));
  }
  auto window = window_of(op, kernel);
  if (!window) return window;
  const Ints x = op.input(0).dims();
  const std::int64_t groups = offset_groups(op), taps = window->taps();
  if (groups < 1 || x[1] % groups != 0) {
    return fail("onnx-attribute",
                fmt::format("{}: offset_group is {} but its input is {}, whose channels it must "
                            "divide; correct the attribute",
                            label(op), groups, to_text(op.input(0))));
  }
  const Ints& out = window->out;
  FRIT_TRY(check_dims(op, offset, "offset", {x[0], groups * taps * 2, out[0], out[1]}));
  if (op.has_input(mask)) {
    FRIT_TRY(check_dims(op, mask, "mask", {x[0], groups * taps, out[0], out[1]}));
  }
  return window;
}

/// x, offset, [mask] to [n, c, tap, y, x]: what each tap of each window reads.
class DeformColumns final : public Operator {
 public:
  std::string_view type() const override { return "DeformColumns"; }
  std::string_view formula() const override {
    return "out[n,c,r,y,x] = mask[n,r,y,x] * bilinear(x[n,c], y*sy+ry*dy-py + offset_y[n,r,y,x], "
           "likewise x), r = (ry,rx)";
  }
  std::string_view domain() const override { return "frit"; }
  OpKind kind(const OpInstance&) const override { return OpKind::kOpaque; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"dilations", AttributeKind::kInts},
                                   {"kernel_shape", AttributeKind::kInts},
                                   {"offset_group", AttributeKind::kInt},
                                   {"pads", AttributeKind::kInts},
                                   {"strides", AttributeKind::kInts}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 3));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      if (op.has_input(i)) FRIT_TRY(check_same_dtype(op, 0, i));
    }
    auto window = stated_window(op);
    if (!window) return fail(std::move(window).error());
    const Ints x = op.input(0).dims();
    const Ints out = {x[0], x[1], window->taps(), window->out[0], window->out[1]};
    FRIT_TRY(check_size(op, out));
    return std::vector{TensorType(op.input(0).dtype, out)};
  }

  std::vector<std::string> axis_names(const OpInstance&) const override {
    return {"n", "c", "tap", "y", "x"};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Halide::Type type = halide_type(op.outputs.at(0).dtype);
    if (op.outputs.at(0).elements() == 0) {
      stages.stage("")() = Halide::Internal::make_zero(type);
      return;
    }
    const Window window = *stated_window(op);
    const Ints dims = op.input(0).dims();
    const Index out = stages.index();
    const Expr group = out[1] / static_cast<int>(dims[1] / offset_groups(op));
    const Halide::Type wide = compute_type(type);
    const Expr y = position(op, window, operands[1], 0, stages, group),
               x = position(op, window, operands[1], 1, stages, group);
    Expr sum;
    for (const int row : {0, 1}) {
      for (const int column : {0, 1}) {
        const Tap a = tap_of(y, row, dims[2]), b = tap_of(x, column, dims[3]);
        const Expr value = cast(wide, operands[0].at({out[0], out[1], a.at, b.at}));
        const Expr term =
            select(a.inside && b.inside, value * (a.weight * b.weight), constant_of(wide, 0.0));
        sum = sum.defined() ? sum + term : term;
      }
    }
    if (operands.size() > 2) {
      const Expr channel = group * static_cast<int>(window.taps()) + out[2];
      sum = sum * cast(wide, operands[2].at({out[0], channel, out[3], out[4]}));
    }
    stages.stage("")() = cast(type, sum);
  }

  Counts counts(const OpInstance& op) const override {
    return {op.outputs.at(0).elements() * 12, 0};
  }

 private:
  static Result<Window> stated_window(const OpInstance& op) {
    return deform_window_of(op, ints_attribute(op.attributes, "kernel_shape", {}), 1, 2);
  }

  /// Where a tap lies along a spatial axis: one stage for all channels of a group of offsets.
  static Expr position(const OpInstance& op, const Window& window, const Operand& offset,
                       std::size_t axis, StageBuilder& stages, const Expr& group) {
    const std::vector<Var>& out = stages.axes();
    const Var g("g");
    const Ints& extents = stages.extents();
    Stage& stage = stages.stage_own(
        axis == 0 ? "pos_y" : "pos_x", {out[0], g, out[2], out[3], out[4]}, {4, 3, 2, 1, 0},
        {extents[0], offset_groups(op), extents[2], extents[3], extents[4]});
    const auto columns = static_cast<int>(window.kernel[1]);
    const Expr tap = axis == 0 ? out[2] / columns : out[2] % columns;
    const Expr channel =
        (g * static_cast<int>(window.taps()) + out[2]) * 2 + static_cast<int>(axis);
    const Halide::Type wide = compute_type(halide_type(op.outputs.at(0).dtype));
    stage() = cast(wide, window_index(window, axis, out[3 + axis], tap)) +
              cast(wide, offset.at({out[0], channel, out[3], out[4]}));
    stage.op_cost = 8;
    return stage({out[0], group, out[2], out[3], out[4]});
  }

  struct Tap {
    Expr at, inside, weight;
  };
  /// Element `next` (0 or 1) of the two around `position`.
  static Tap tap_of(const Expr& position, int next, std::int64_t extent) {
    constexpr int kFar = 1 << 30;
    const Expr floor = Halide::floor(position);
    const Expr at = Halide::clamp(math::convert(Halide::Int(32), floor), -kFar, kFar) + next;
    const Expr past = position - floor;
    const auto last = static_cast<int>(extent) - 1;
    return {Halide::clamp(at, 0, last), at >= 0 && at <= last,
            next == 1 ? past : math::complement(past)};
  }
};

/// Opsets 19 and 22; two spatial axes.
class DeformConv final : public Composite {
 public:
  std::string_view type() const override { return "DeformConv"; }
  std::string_view formula() const override {
    return "out[n,f,y,x] = b[f] + sum_{c,r} w[f,c,r] * mask[n,r,y,x] * bilinear(x[n,c], p + "
           "offset[n,r,y,x])\n"
           "p = (y*sy+ry*dy-py, x*sx+rx*dx-px), r = (ry,rx); 0 outside x";
  }
  int first_opset() const override { return 19; }
  const Attributes& attributes() const override {
    static const Attributes all = {
        {"dilations", AttributeKind::kInts},    {"group", AttributeKind::kInt},
        {"kernel_shape", AttributeKind::kInts}, {"offset_group", AttributeKind::kInt},
        {"pads", AttributeKind::kInts},         {"strides", AttributeKind::kInts}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 3, 5));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      if (!op.has_input(i)) continue;
      FRIT_TRY(check_same_dtype(op, 0, i));
      FRIT_TRY(check_constant_shape(op, i, fmt::format("input {}", i)));
    }
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    auto kernel = kernel_of(op);
    if (!kernel) return fail(std::move(kernel).error());
    auto window = deform_window_of(op, *kernel, 2, 4);
    if (!window) return fail(std::move(window).error());
    const Ints x = op.input(0).dims(), w = op.input(1).dims();
    if (op.has_input(3)) FRIT_TRY(check_dims(op, 3, "bias", {w[0]}));
    const Ints out = {x[0], w[0], window->out[0], window->out[1]};
    FRIT_TRY(check_size(op, out));
    return std::vector{TensorType(op.input(0).dtype, out)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const DType dtype = op.input(0).dtype, wide = dtype == DType::kF64 ? dtype : DType::kF32;
    const auto widened = [&](Ref x) {
      return !x || dtype == wide ? x : to.node("Cast", {x}, {{"to", onnx_number(wide)}});
    };
    const auto shaped = [&](Ref x, const Ints& dims) {
      return to.node("Reshape", {x, to.ints(dims)}, {{"allowzero", std::int64_t{1}}});
    };
    AttributeMap window = op.attributes;
    window.erase("group");
    window["kernel_shape"] = *kernel_of(op);
    std::vector<Ref> read = {widened(to.input(0)), widened(to.input(2))};
    if (to.input(4)) read.push_back(widened(to.input(4)));
    const Ref columns = to.node("DeformColumns", read, window, "frit");
    const std::int64_t groups = int_attribute(op.attributes, "group", 1);
    const Ints w = op.input(1).dims(), made = to.dims(columns);
    const std::int64_t terms = w[1] * w[2] * w[3], points = made[3] * made[4];
    const Ref left = shaped(widened(to.input(1)), {1, groups, w[0] / groups, terms});
    const Ref right = shaped(columns, {made[0], groups, terms, points});
    Ref y = shaped(to.node("MatMul", {left, right}), {made[0], w[0], made[3], made[4]});
    if (to.input(3)) {
      y = to.node("Add", {y, shaped(widened(to.input(3)), {1, w[0], 1, 1})});
    }
    if (dtype != wide) y = to.node("Cast", {y}, {{"to", onnx_number(dtype)}});
    to.output(0, y);
    return to.status();
  }

 private:
  /// The weights' spatial extents, which channels, group and kernel_shape must fit.
  static Result<Ints> kernel_of(const OpInstance& op) {
    const Ints x = op.input(0).dims(), w = op.input(1).dims();
    const std::int64_t groups = int_attribute(op.attributes, "group", 1);
    const bool fits = x.size() == 4 && w.size() == 4 && groups >= 1 && w[1] * groups == x[1] &&
                      w[0] % groups == 0;
    if (!fits) {
      return fail("onnx-shape",
                  fmt::format("{}: its input is {} and its weights {} in {} group(s) but they must "
                              "be [n,c,h,w] and [k,c/groups,kh,kw]; correct the model",
                              label(op), to_text(op.input(0)), to_text(op.input(1)), groups));
    }
    const Ints kernel = {w[2], w[3]};
    if (ints_attribute(op.attributes, "kernel_shape", kernel) != kernel) {
      return fail(
          "onnx-attribute",
          fmt::format("{}: kernel_shape is {} but its weights are {}; correct the attribute",
                      label(op), dims_text(ints_attribute(op.attributes, "kernel_shape", kernel)),
                      to_text(op.input(1))));
    }
    return kernel;
  }
};

}  // namespace

void add_deform_conv(std::vector<const Operator*>& all) {
  all.insert(all.end(), {new DeformColumns, new DeformConv});
}

}  // namespace frit

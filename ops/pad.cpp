#include "ops/pad.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::Expr;
using Ints = std::vector<std::int64_t>;

struct Padding {
  Ints begin, end;
  std::string mode;
  std::optional<double> value = 0.0;  ///< nullopt: the last input
};

/// Pads as stated, and the axes that they are for.
struct StatedPads {
  Ints pads, axes;
};

Result<StatedPads> stated_pads(const OpInstance& op) {
  StatedPads stated;
  stated.axes.resize(op.input(0).shape.size());
  std::iota(stated.axes.begin(), stated.axes.end(), 0);
  if (!op.has_input(1)) {
    stated.pads = ints_attribute(op.attributes,
                                 has_attribute(op.attributes, "pads") ? "pads" : "paddings", {});
    return stated;
  }
  for (const auto& [i, name, list] :
       {std::tuple(1, "pads", &stated.pads), std::tuple(3, "axes", &stated.axes)}) {
    auto value = constant_input(op, static_cast<std::size_t>(i), name);
    if (!value) return fail(std::move(value).error());
    if (!*value) continue;
    if (is_float((*value)->dtype())) {
      return fail("onnx-type",
                  fmt::format("{}: input {} ({}) is {} but must be a list of integers; "
                              "correct the model",
                              label(op), i, name, to_text((*value)->type())));
    }
    *list = (*value)->to_ints();
  }
  return stated;
}

/// The value of the border where it is known and a float holds it; nullopt: it stays an input.
Result<std::optional<double>> value_of(const OpInstance& op) {
  constexpr std::size_t i = 2;
  if (!op.has_input(i)) return static_cast<double>(float_attribute(op.attributes, "value", 0.0F));
  if (op.input(i).elements() != 1 || op.input(i).dtype != op.input(0).dtype) {
    return fail("onnx-type",
                fmt::format("{}: its value is {} but its input is {}; give one element of "
                            "that type",
                            label(op), to_text(op.input(i)), to_text(op.input(0))));
  }
  const Tensor* known = op.constant(i);
  if (known == nullptr) return std::nullopt;
  const double stated = known->to_doubles()[0];
  const bool exact =
      !std::isfinite(stated) || static_cast<double>(static_cast<float>(stated)) == stated;
  const bool narrow = is_float(known->dtype()) || std::fabs(stated) < 0x1p24;
  return exact && narrow ? std::optional(stated) : std::nullopt;
}

Result<Padding> padding_of(const OpInstance& op) {
  auto stated = stated_pads(op);
  if (!stated) return fail(std::move(stated).error());
  const std::size_t rank = op.input(0).shape.size(), count = stated->axes.size();
  FRIT_TRY(normal_axes(op, stated->axes, op.input(0).rank()).map([](const auto&) {}));
  if (stated->pads.size() != 2 * count) {
    return fail("onnx-attribute",
                fmt::format("{}: pads is {} but {} axes of its input {} need two "
                            "values each; correct the model",
                            label(op), dims_text(stated->pads), count, to_text(op.input(0))));
  }
  Padding padding{Ints(rank, 0), Ints(rank, 0), string_attribute(op.attributes, "mode", "constant"),
                  0.0};
  for (std::size_t i = 0; i < count; ++i) {
    const auto axis = static_cast<std::size_t>(*normal_axis(stated->axes[i], op.input(0).rank()));
    padding.begin[axis] = stated->pads[i];
    padding.end[axis] = stated->pads[i + count];
    if (std::max(std::abs(padding.begin[axis] / 2), std::abs(padding.end[axis] / 2)) <
        kMaxExtent / 2)
      continue;
    return fail("onnx-attribute",
                fmt::format("{}: pads is {} but each may be at most {}; correct the "
                            "model",
                            label(op), dims_text(stated->pads), kMaxExtent));
  }
  auto value = value_of(op);
  if (!value) return fail(std::move(value).error());
  padding.value = *value;
  return padding;
}

/// The input position of output position `out` along one axis, for the modes that copy elements.
Expr copied_index(const Padding& padding, std::size_t axis, std::int64_t dim, const Expr& out) {
  const std::int64_t begin = padding.begin[axis], end = padding.end[axis];
  if (begin == 0 && end <= 0) return out;
  if (begin <= 0 && end <= 0) return out - static_cast<int>(begin);
  // [first, first + kept) is what negative pads leave.
  const std::int64_t first = std::max<std::int64_t>(0, -begin);
  const std::int64_t before = std::max<std::int64_t>(0, begin),
                     after = std::max<std::int64_t>(0, end);
  const int kept = static_cast<int>(dim - first - std::max<std::int64_t>(0, -end));
  const Expr at = before == 0 ? out : out - static_cast<int>(before);
  Expr copied;
  if (padding.mode == "edge") {
    copied = Halide::clamp(at, 0, kept - 1);
  } else if (padding.mode == "wrap") {
    copied = at % kept;
  } else if (kept == 1) {
    copied = 0;
  } else if (std::max(before, after) < kept) {
    const auto size = [](const Expr& e) { return Halide::cast<int>(Halide::abs(e)); };
    copied = (kept - 1) - size((kept - 1) - size(at));
  } else {
    const int period = 2 * (kept - 1);
    const Expr phase = at % period;
    copied = Halide::min(phase, period - phase, kept - 1);  // the last one only for Halide's bounds
  }
  return first == 0 ? copied : copied + static_cast<int>(first);
}

class Pad final : public Operator {
 public:
  std::string_view type() const override { return "Pad"; }
  std::string_view formula() const override {
    return "out[i] = x[i - begin] inside; outside by mode: value (constant), nearest element "
           "(edge),\n"
           "mirrored (reflect), from the other end (wrap, opset 19 on); negative pads crop\n"
           "before opset 11 pads and value are attributes, then inputs; axes from opset 18";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"mode", kString}, {"pads", kInts, 11}, {"value", kFloat}};
    return all;
  }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 4));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    auto padding = padding_of(op);
    if (!padding) return fail(std::move(padding).error());
    if (padding->mode != "constant" && padding->mode != "edge" && padding->mode != "reflect" &&
        padding->mode != "wrap") {
      return fail("onnx-attribute",
                  fmt::format("{}: mode is \"{}\" but must be constant, edge, reflect "
                              "or wrap; correct the attribute",
                              label(op), padding->mode));
    }
    TensorType out = op.input(0);
    for (std::size_t axis = 0; axis < out.shape.size(); ++axis) {
      const std::int64_t dim = op.input(0).dims()[axis];
      const std::int64_t begin = padding->begin[axis], end = padding->end[axis];
      const std::int64_t kept =
          dim + std::min<std::int64_t>(0, begin) + std::min<std::int64_t>(0, end);
      const bool copies = padding->mode != "constant" && (begin > 0 || end > 0);
      if (dim + begin + end < 0 || (copies && kept < 1)) {
        return fail(
            "onnx-shape",
            fmt::format("{}: pads ({},{}) leave {} elements of axis {} of its "
                        "input {}, too few for mode {}; correct pads",
                        label(op), begin, end, kept, axis, to_text(op.input(0)), padding->mode));
      }
      out.shape[axis] = dim + begin + end;
    }
    FRIT_TRY(check_size(op, out.dims()));
    return std::vector{out};
  }

  Status canonicalise(OpInstance& op) const override {
    auto padding = padding_of(op);
    if (!padding) return fail(std::move(padding).error());
    Ints pads = padding->begin;
    pads.insert(pads.end(), padding->end.begin(), padding->end.end());
    const bool fixed = padding->value || padding->mode != "constant";
    op.attributes = {{"pads", pads}, {"mode", padding->mode}};
    if (fixed) op.attributes["value"] = static_cast<float>(padding->value.value_or(0.0));
    const std::size_t left = fixed ? 1 : 3;
    op.inputs.resize(left);
    op.constants.resize(left);
    if (!fixed) op.inputs[1] = std::nullopt, op.constants[1] = std::nullopt;
    return {};
  }

  Reach reach(const OpInstance& op, std::size_t) const override {
    const Padding padding = checked_padding(op);
    if (padding.mode != "constant" || !padding.value) return {};
    return beyond(padding, *padding.value);
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Padding padding = checked_padding(op);
    const Ints dims = op.input(0).dims();
    Index at = stages.index();
    if (padding.mode != "constant") {
      for (std::size_t axis = 0; axis < at.size(); ++axis) {
        at[axis] = copied_index(padding, axis, dims[axis], at[axis]);
      }
      stages.stage("")() = operands[0].at(at);
      return;
    }
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      if (padding.begin[axis] != 0) at[axis] = at[axis] - static_cast<int>(padding.begin[axis]);
    }
    const Reach outside = beyond(padding, padding.value.value_or(0.0));
    const Expr fixed = read_padded(operands[0], at, outside.low, outside.high, outside.fill);
    if (padding.value) {
      stages.stage("")() = fixed;
      return;
    }
    Expr inside = Halide::Internal::const_true();
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      if (padding.begin[axis] > 0) inside = inside && at[axis] >= 0;
      if (padding.end[axis] > 0) inside = inside && at[axis] < static_cast<int>(dims[axis]);
    }
    const Index first(static_cast<std::size_t>(op.input(2).rank()), Expr(0));
    stages.stage("")() = Halide::select(inside, fixed, operands[2].at(first));
  }

  Counts counts(const OpInstance&) const override { return {}; }

 private:
  static Reach beyond(const Padding& padding, double fill) {
    Reach reach{padding.begin, padding.end, fill};
    for (Ints* side : {&reach.low, &reach.high}) {
      for (std::int64_t& pad : *side) pad = std::max<std::int64_t>(0, pad);
    }
    return reach;
  }
  static Padding checked_padding(const OpInstance& op) {
    auto padding = padding_of(op);
    FRIT_ASSERT(padding.has_value(), "a Pad that infer accepted");
    return *std::move(padding);
  }
};

}  // namespace

void add_pad(std::vector<const Operator*>& all) {
  static const Pad pad;
  all.push_back(&pad);
}

}  // namespace frit

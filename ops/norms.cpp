// Normalisations that are others seen along other axes, or with other parameters.
//
// Those of channels-first images are LayerNormalization of a view whose rows are what is averaged:
// [n,c,h,w] as [n,c,h*w] (instance), [n,g,c/g,h*w] (group), scale and bias standing for the rows.
#include <fmt/format.h>

#include "ops/norm_parts.h"
#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;
using enum AttributeKind;

/// Error "onnx-shape" unless x has a batch and channels, and inputs 1 and 2 are one number for each
/// of `count`.
Status check_parameters(const OpInstance& op, std::int64_t count, const char* what) {
  for (const std::size_t i : {1U, 2U}) {
    FRIT_TRY(check_same_dtype(op, 0, i));
    if (op.input(i).shape == std::vector{Extent(count)}) continue;
    return fail("onnx-shape",
                fmt::format("{}: {} is {} but its input {} has {} {}; correct the model", label(op),
                            i == 1 ? "its scale" : "its bias", to_text(op.input(i)),
                            to_text(op.input(0)), count, what));
  }
  return {};
}

Status check_image(const OpInstance& op) {
  FRIT_TRY(check_inputs(op, 3, 3));
  FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
  if (op.input(0).rank() >= 2) return {};
  return fail("onnx-shape", fmt::format("{}: its input is {} but needs a batch and channels; "
                                        "correct the model",
                                        label(op), to_text(op.input(0))));
}

std::int64_t plane_of(const Ints& dims) {
  std::int64_t plane = 1;
  for (std::size_t axis = 2; axis < dims.size(); ++axis) plane *= dims[axis];
  return plane;
}

/// LayerNormalization of x as `view`, rows from `axis` on, then back; parameters as `affine`.
Ref normalised_view(const OpInstance& op, Expansion& to, const Ints& view, std::int64_t axis,
                    const Ints& affine) {
  const Ref rows = reshaped(to, to.input(0), view);
  const Ref y =
      to.node("LayerNormalization",
              {rows, reshaped(to, to.input(1), affine), reshaped(to, to.input(2), affine)},
              {{"axis", axis}, {"epsilon", float_attribute(op.attributes, "epsilon", 1e-5F)}});
  return reshaped(to, y, to.dims(to.input(0)));
}

class InstanceNormalization final : public Composite {
 public:
  std::string_view type() const override { return "InstanceNormalization"; }
  std::string_view formula() const override {
    return "out[n,c,i] = (x[n,c,i] - mean[n,c]) / sqrt(var[n,c] + epsilon) * scale[c] + bias[c]\n"
           "mean and var over i, all spatial axes";
  }
  int first_opset() const override { return 6; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"epsilon", kFloat}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_image(op));
    FRIT_TRY(check_parameters(op, op.input(0).dims()[1], "channels"));
    return std::vector{op.input(0)};
  }
  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ints dims = op.input(0).dims();
    to.output(0, normalised_view(op, to, {dims[0], dims[1], plane_of(dims)}, 2, {dims[1], 1}));
    return to.status();
  }
};

/// Opset 18 has scale and bias for each group, 21 for each channel.
class GroupNormalization final : public Composite {
 public:
  std::string_view type() const override { return "GroupNormalization"; }
  std::string_view formula() const override {
    return "out[n,c,i] = (x[n,c,i] - mean[n,g]) / sqrt(var[n,g] + epsilon) * scale[c] + bias[c]\n"
           "mean and var over the channels of group g and all i; opset 18: scale[g], bias[g]";
  }
  int first_opset() const override { return 18; }
  const Attributes& attributes() const override {
    static const Attributes all = {
        {"epsilon", kFloat}, {"num_groups", kInt, kAlways}, {"stash_type", kInt}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_image(op));
    FRIT_TRY(check_stash_type(op));
    const std::int64_t channels = op.input(0).dims()[1], groups = groups_of(op);
    if (groups < 1 || channels % groups != 0) {
      return fail(
          "onnx-attribute",
          fmt::format("{}: num_groups is {} but its input {} has {} channels, no multiple of "
                      "it; correct the attribute",
                      label(op), groups, to_text(op.input(0)), channels));
    }
    const bool by_group = op.opset < 21;
    FRIT_TRY(check_parameters(op, by_group ? groups : channels, by_group ? "groups" : "channels"));
    return std::vector{op.input(0)};
  }
  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ints dims = op.input(0).dims();
    const std::int64_t groups = groups_of(op), each = dims[1] / groups, plane = plane_of(dims);
    to.output(0,
              op.opset < 21
                  ? normalised_view(op, to, {dims[0], groups, each * plane}, 2, {groups, 1})
                  : normalised_view(op, to, {dims[0], groups, each, plane}, 2, {groups, each, 1}));
    return to.status();
  }

 private:
  static std::int64_t groups_of(const OpInstance& op) {
    return int_attribute(op.attributes, "num_groups", 0);
  }
};

/// (x - mean) / (deviation + 1e-9) over `axes`.
class MeanVarianceNormalization final : public Composite {
 public:
  std::string_view type() const override { return "MeanVarianceNormalization"; }
  std::string_view formula() const override {
    return "out[i,r] = (x[i,r] - mean[i]) / (sqrt(var[i]) + 1e-9), mean and var over r, the axes "
           "of axes";
  }
  int first_opset() const override { return 9; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axes", kInts}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    if (const auto axes = axes_of(op); !axes) return fail(axes.error());
    return std::vector{op.input(0)};
  }
  Status expand(const OpInstance& op, Expansion& to) const override {
    const DType dtype = op.input(0).dtype;
    const Moments m = moments(to, widened(to, to.input(0)), *axes_of(op));
    const Ref deviation = to.node("Sqrt", {m.variance});
    const Ref divisor = to.node("Add", {deviation, to.scalar(to.type(deviation).dtype, 1e-9)});
    to.output(0, cast_to(to, to.node("Div", {m.centred, divisor}), dtype));
    return to.status();
  }

 private:
  static Result<Ints> axes_of(const OpInstance& op) {
    return normal_axes(op, ints_attribute(op.attributes, "axes", {0, 2, 3}), op.input(0).rank());
  }
};

/// x / (its norm along the axis); 0 where that is 0.
class LpNormalization final : public Composite {
 public:
  std::string_view type() const override { return "LpNormalization"; }
  std::string_view formula() const override {
    return "out[i,r] = x[i,r] / (sum_s |x[i,s]|^p)^(1/p), r along axis, p 1 or 2; 0 where the sum "
           "is 0";
  }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", kInt}, {"p", kInt}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    if (const auto axes = axes_of(op); !axes) return fail(axes.error());
    const std::int64_t p = int_attribute(op.attributes, "p", 2);
    if (p == 1 || p == 2) return std::vector{op.input(0)};
    return fail("onnx-attribute",
                fmt::format("{}: p is {} but must be 1 or 2; correct the attribute", label(op), p));
  }
  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ref x = widened(to, to.input(0));
    const bool absolute = int_attribute(op.attributes, "p", 2) == 1;
    const Ref norm = to.node(absolute ? "ReduceL1" : "ReduceL2", {x, to.ints(*axes_of(op))});
    const Ref zero = to.scalar(to.type(x).dtype, 0.0);
    const Ref none = to.node("Equal", {norm, zero});
    const Ref y = to.node("Where", {none, zero, to.node("Div", {x, norm})});
    to.output(0, cast_to(to, y, op.input(0).dtype));
    return to.status();
  }

 private:
  static Result<Ints> axes_of(const OpInstance& op) {
    return normal_axes(op, {int_attribute(op.attributes, "axis", -1)}, op.input(0).rank());
  }
};

}  // namespace

void add_norms(std::vector<const Operator*>& all) {
  all.push_back(new InstanceNormalization);
  all.push_back(new GroupNormalization);
  all.push_back(new MeanVarianceNormalization);
  all.push_back(new LpNormalization);
}

}  // namespace frit

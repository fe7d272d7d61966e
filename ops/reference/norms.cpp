// Normalisations that are chains of reductions and pointwise steps.
#include <fmt/format.h>

#include "ops/reference/steps.h"

namespace frit::ref {
namespace {

/// `tensor` with other extents of the same number of elements.
RefTensor seen_as(const RefTensor& tensor, Dims dims) {
  RefTensor view = tensor;
  view.dims = std::move(dims);
  return view;
}

bool is_narrow(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }

/// Statistics of narrow types are in float32.
RefTensor widened(const RefTensor& tensor) {
  RefTensor wide = tensor;
  if (is_narrow(wide.dtype)) wide.dtype = DType::kF32;
  return wide;
}

std::int64_t plane_of(const Dims& dims) {
  std::int64_t plane = 1;
  for (std::size_t axis = 2; axis < dims.size(); ++axis) plane *= dims[axis];
  return plane;
}

struct Moments {
  const RefTensor* centred;
  const RefTensor* mean;
  const RefTensor* variance;
};

Moments moments(Steps& steps, const RefTensor* x, const Dims& axes) {
  const RefTensor* list = steps.ints(axes);
  Moments m{};
  m.mean = steps.run("ReduceMean", {x, list});
  m.centred = steps.run("Sub", {x, m.mean});
  m.variance = steps.run("ReduceMean", {steps.run("Mul", {m.centred, m.centred}), list});
  return m;
}

/// x as `view`, normalised from axis 2 on, times scale plus bias (both seen as `affine`).
Outputs normalised(const Call& call, const Dims& view, const Dims& affine) {
  FRIT_TRY(need_float(call, 0));
  for (const std::size_t i : {1U, 2U}) {
    if (count_of(affine) != call.in(i).elements()) {
      return call.refuse(fmt::format("input {} is {}", i, dims_text(call.in(i).dims)));
    }
  }
  Steps steps(call);
  const RefTensor* x = steps.keep(seen_as(widened(call.in(0)), view));
  const RefTensor* scale = steps.keep(seen_as(widened(call.in(1)), affine));
  const RefTensor* bias = steps.keep(seen_as(widened(call.in(2)), affine));
  Dims axes;
  for (std::size_t axis = 2; axis < view.size(); ++axis) {
    axes.push_back(static_cast<std::int64_t>(axis));
  }
  const Moments m = moments(steps, x, axes);
  const RefTensor* epsilon =
      steps.scalar(x->dtype, static_cast<double>(call.attr("epsilon", 1e-5F)));
  const RefTensor* deviation = steps.run("Sqrt", {steps.run("Add", {m.variance, epsilon})});
  const RefTensor* normal = steps.run("Div", {m.centred, deviation});
  const RefTensor* y = steps.run("Add", {steps.run("Mul", {normal, scale}), bias});
  FRIT_TRY(steps.status());
  RefTensor result = seen_as(*y, call.in(0).dims);
  result.dtype = call.in(0).dtype;
  return one(std::move(result));
}

Outputs instance_norm(const Call& call) {
  const Dims& dims = call.in(0).dims;
  if (dims.size() < 2) return call.refuse("its input has no channels");
  return normalised(call, {dims[0], dims[1], plane_of(dims)}, {dims[1], 1});
}

Outputs group_norm(const Call& call) {
  const Dims& dims = call.in(0).dims;
  const std::int64_t groups = call.attr("num_groups", std::int64_t{0});
  if (dims.size() < 2 || groups < 1 || dims[1] % groups != 0) {
    return call.refuse(fmt::format("its input {} has no {} groups", dims_text(dims), groups));
  }
  const std::int64_t each = dims[1] / groups;
  const Dims affine = call.op.opset < 21 ? Dims{groups, 1, 1} : Dims{groups, each, 1};
  return normalised(call, {dims[0], groups, each, plane_of(dims)}, affine);
}

Outputs mean_variance_norm(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  Steps steps(call);
  const RefTensor* x = steps.keep(widened(call.in(0)));
  const Moments m = moments(steps, x, ints_attribute(call.op.attributes, "axes", {0, 2, 3}));
  const RefTensor* deviation = steps.run("Sqrt", {m.variance});
  const RefTensor* divisor = steps.run("Add", {deviation, steps.scalar(x->dtype, 1e-9)});
  RefTensor y = *steps.run("Div", {m.centred, divisor});
  FRIT_TRY(steps.status());
  y.dtype = call.in(0).dtype;
  return one(std::move(y));
}

Outputs lp_norm(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  Steps steps(call);
  const RefTensor* x = steps.keep(widened(call.in(0)));
  const bool absolute = call.attr("p", std::int64_t{2}) == 1;
  const RefTensor* norm = steps.run(absolute ? "ReduceL1" : "ReduceL2",
                                    {x, steps.ints({call.attr("axis", std::int64_t{-1})})});
  const RefTensor* zero = steps.scalar(x->dtype, 0.0);
  const RefTensor* none = steps.run("Equal", {norm, zero});
  RefTensor y = *steps.run("Where", {none, zero, steps.run("Div", {x, norm})});
  FRIT_TRY(steps.status());
  y.dtype = call.in(0).dtype;
  return one(std::move(y));
}

constexpr Entry kEntries[] = {
    {"GroupNormalization", 3, 3, group_norm},
    {"InstanceNormalization", 3, 3, instance_norm},
    {"LpNormalization", 1, 1, lp_norm},
    {"MeanVarianceNormalization", 1, 1, mean_variance_norm},
};

}  // namespace

std::span<const Entry> norms_entries() { return kEntries; }

}  // namespace frit::ref

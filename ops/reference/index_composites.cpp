// ArrayFeatureExtractor, Binarizer, CenterCropPad, Compress, EyeLike, OneHot.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/reference/call.h"
#include "ops/reference/steps.h"

namespace frit::ref {
namespace {

Outputs refused(Diagnostic diagnostic) { return tl::unexpected<Diagnostic>(std::move(diagnostic)); }

Outputs array_feature_extractor(const Call& call) {
  Steps steps(call);
  const RefTensor* x = &call.in(0);
  const RefTensor* flat = steps.run("Reshape", {&call.in(1), steps.ints({-1})});
  const RefTensor* picked = steps.run("Gather", {x, flat}, {{"axis", std::int64_t{-1}}});
  return steps.outputs(
      {x->dims.size() == 1 ? steps.run("Unsqueeze", {picked, steps.ints({0})}) : picked});
}

Outputs binarizer(const Call& call) {
  const RefTensor& x = call.in(0);
  const auto threshold = static_cast<double>(call.attr("threshold", 0.0F));
  Result<RefTensor> y = make(call, x.dtype, x.dims);
  if (!y) return refused(y.error());
  const auto count = static_cast<std::size_t>(x.elements());
  for (std::size_t i = 0; i < count; ++i) {
    const double value = number_at(x, i);
    const bool above = value > threshold;
    if (is_float(x.dtype)) {
      y->real[i] = above ? 1.0 : 0.0;
    } else {
      y->integer[i] = above ? 1 : 0;
    }
    if (std::fabs(value - threshold) > bound_at(x, i) || bound_at(x, i) == 0.0) continue;
    y->bound.resize(count, 0.0);
    y->bound[i] = kUnknown;
  }
  return one(std::move(*y));
}

// Floor of half the difference goes before, as the specification says of both.
Outputs center_crop_pad(const Call& call) {
  const RefTensor& x = call.in(0);
  const Result<Dims> wanted = ints_input(call, 1);
  if (!wanted) return refused(wanted.error());
  Dims axes(x.dims.size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = ints_attribute(call.op.attributes, "axes", axes);
  if (axes.size() != wanted->size()) return call.refuse("has not one extent for each axis");
  Steps steps(call);
  const RefTensor* y = &x;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = axis_of(call, axes[i], x.dims.size());
    if (!axis) return refused(axis.error());
    const std::int64_t from = x.dims[*axis], to = (*wanted)[i];
    const auto at = static_cast<std::int64_t>(*axis);
    if (to < from) {
      const std::int64_t start = (from - to) / 2;
      y = steps.run("Slice", {y, steps.ints({start}), steps.ints({start + to}), steps.ints({at})});
    } else {
      const std::int64_t start = (to - from) / 2;
      y = steps.run("Pad", {y, steps.ints({start, to - from - start}), nullptr, steps.ints({at})});
    }
  }
  return steps.outputs({y});
}

Outputs compress(const Call& call) {
  const Result<Dims> condition = ints_input(call, 1);
  if (!condition) return refused(condition.error());
  Dims picked;
  for (std::size_t i = 0; i < condition->size(); ++i) {
    if ((*condition)[i] != 0) picked.push_back(static_cast<std::int64_t>(i));
  }
  Steps steps(call);
  const bool whole = !has_attribute(call.op.attributes, "axis");
  const RefTensor* x =
      whole ? steps.run("Reshape", {&call.in(0), steps.ints({call.in(0).elements()})})
            : &call.in(0);
  const std::int64_t axis = call.attr("axis", std::int64_t{0});
  return steps.outputs({steps.run("Gather", {x, steps.ints(picked)}, {{"axis", axis}})});
}

Outputs eye_like(const Call& call) {
  const RefTensor& x = call.in(0);
  if (x.dims.size() != 2) return call.refuse("its input is no matrix");
  DType dtype = x.dtype;
  if (has_attribute(call.op.attributes, "dtype")) {
    const auto named = dtype_of_onnx(call.attr("dtype", std::int64_t{0}));
    if (!named) return call.refuse("its dtype is not supported");
    dtype = *named;
  }
  const std::int64_t k = call.attr("k", std::int64_t{0});
  Result<RefTensor> y = make(call, dtype, x.dims);
  if (!y) return refused(y.error());
  for (std::int64_t row = 0; row < x.dims[0]; ++row) {
    if (k < -row || k >= x.dims[1] - row) continue;
    const auto at = static_cast<std::size_t>(row * x.dims[1] + row + k);
    if (is_float(dtype)) {
      y->real[at] = 1.0;
    } else {
      y->integer[at] = 1;
    }
  }
  return one(std::move(*y));
}

// The index as an integer: a fraction is cut off, and what no int64 holds is out of any range.
std::int64_t integer_at(const RefTensor& x, std::size_t i) {
  if (x.real.empty()) return x.integer[i];
  if (std::isnan(x.real[i])) return 0;
  return std::fabs(x.real[i]) < 0x1p62 ? static_cast<std::int64_t>(x.real[i]) : INT64_MIN;
}

Outputs one_hot(const Call& call) {
  const RefTensor &indices = call.in(0), &values = call.in(2);
  if (count_of(call.in(1).dims) != 1 || count_of(values.dims) != 2 || !call.in(1).bound.empty()) {
    return call.refuse("needs one depth and two values");
  }
  const auto depth = static_cast<std::int64_t>(number_at(call.in(1), 0));
  const auto axis = axis_of(call, call.attr("axis", std::int64_t{-1}), indices.dims.size() + 1);
  if (!axis) return refused(axis.error());
  Dims dims = indices.dims;
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(*axis), depth);
  Result<RefTensor> y = make(call, values.dtype, dims);
  if (!y) return refused(y.error());
  const std::int64_t inner = dense_strides(dims)[*axis];
  const auto count = static_cast<std::size_t>(y->elements());
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t place = at / inner % depth;
    const auto from = static_cast<std::size_t>(at / (inner * depth) * inner + at % inner);
    std::int64_t index = integer_at(indices, from);
    if (index < 0 && index >= -depth && call.op.opset >= 11) index += depth;
    const std::size_t pick = index == place ? 1 : 0;
    if (is_float(values.dtype)) {
      y->real[i] = values.real[pick];
    } else {
      y->integer[i] = values.integer[pick];
    }
    const double bound = bound_at(indices, from) > 0.0 ? kUnknown : bound_at(values, pick);
    if (bound == 0.0) continue;
    y->bound.resize(count, 0.0);
    y->bound[i] = bound;
  }
  return one(std::move(*y));
}

}  // namespace

std::span<const Entry> index_composite_entries() {
  static constexpr Entry kEntries[] = {
      {"ai.onnx.ml.ArrayFeatureExtractor", 2, 2, array_feature_extractor},
      {"ai.onnx.ml.Binarizer", 1, 1, binarizer},
      {"CenterCropPad", 2, 2, center_crop_pad},
      {"Compress", 2, 2, compress},
      {"EyeLike", 1, 1, eye_like},
      {"OneHot", 3, 3, one_hot},
  };
  return kEntries;
}

}  // namespace frit::ref

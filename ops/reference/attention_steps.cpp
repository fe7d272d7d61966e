#include <algorithm>
#include <cmath>
#include <utility>

#include "ops/reference/attention.h"

namespace frit::ref {

const RefTensor* heads_of(Steps& steps, const RefTensor* x, std::int64_t heads) {
  if (x->dims.size() != 3) return x;
  const Dims dims = x->dims;
  const Dims split = {dims[0], dims[1], heads, dims[2] / heads};
  const RefTensor* apart =
      steps.run("Reshape", {x, steps.ints(split)}, {{"allowzero", std::int64_t{1}}});
  return steps.run("Transpose", {apart}, {{"perm", Dims{0, 2, 1, 3}}});
}

const RefTensor* heads_joined(Steps& steps, const RefTensor* x) {
  if (x->dims.size() != 4) return x;
  const Dims d = x->dims;
  const RefTensor* inner = steps.run("Transpose", {x}, {{"perm", Dims{0, 2, 1, 3}}});
  return steps.run("Reshape", {inner, steps.ints({d[0], d[2], d[1] * d[3]})},
                   {{"allowzero", std::int64_t{1}}});
}

const RefTensor* heads_repeated(Steps& steps, const RefTensor* x, std::int64_t heads) {
  if (x->dims.size() != 4 || x->dims[1] == heads) return x;
  Dims from;
  for (std::int64_t i = 0; i < heads; ++i) from.push_back(i * x->dims[1] / heads);
  return steps.run("Gather", {x, steps.ints(from)}, {{"axis", std::int64_t{1}}});
}

const RefTensor* scores_of(Steps& steps, const RefTensor* q, const RefTensor* k, double scale) {
  const RefTensor* root = steps.scalar(q->dtype, std::sqrt(scale));
  const RefTensor* turned = steps.run("Transpose", {k}, {{"perm", Dims{0, 1, 3, 2}}});
  return steps.run("MatMul", {steps.run("Mul", {q, root}), steps.run("Mul", {turned, root})});
}

const RefTensor* capped(Steps& steps, const RefTensor* scores, double cap) {
  if (cap == 0.0) return scores;
  const RefTensor* limit = steps.scalar(scores->dtype, cap);
  const RefTensor* inner = steps.run("Tanh", {steps.run("Div", {scores, limit})});
  return steps.run("Mul", {inner, limit});
}

const RefTensor* softmax_of(Steps& steps, const RefTensor* scores, DType dtype) {
  const AttributeMap there = {{"to", onnx_number(dtype)}};
  const AttributeMap back = {{"to", onnx_number(scores->dtype)}};
  const RefTensor* wide = steps.run("Cast", {scores}, there);
  return steps.run("Cast", {steps.run("Softmax", {wide}, {{"axis", std::int64_t{-1}}})}, back);
}

Bias::Bias(DType dtype, Dims scores) {
  tensor_.dtype = dtype;
  tensor_.dims = std::move(scores);
  tensor_.real.assign(static_cast<std::size_t>(count_of(tensor_.dims).value_or(0)), 0.0);
}

void Bias::add(const RefTensor& mask, bool padded) {
  used_ = true;
  const std::size_t lead = tensor_.dims.size() - mask.dims.size();
  if (!mask.bound.empty()) tensor_.bound.resize(tensor_.real.size(), 0.0);
  each([&](std::size_t at, const Dims& index) {
    std::int64_t from = 0;
    bool inside = true;
    for (std::size_t axis = 0; axis < mask.dims.size(); ++axis) {
      const bool last = axis + 1 == mask.dims.size();
      const std::int64_t i = index[lead + axis];
      if (padded && last) inside = i < mask.dims[axis];
      const bool stretched = mask.dims[axis] == 1 && !(padded && last);
      from = from * mask.dims[axis] + (stretched ? 0 : i);
    }
    double more = -kUnknown;
    if (inside) {
      const auto place = static_cast<std::size_t>(from);
      const double value = number_at(mask, place);
      more = mask.dtype != DType::kBool ? rounded(tensor_.dtype, value)
                                        : (value != 0.0 ? 0.0 : -kUnknown);
      if (!tensor_.bound.empty()) tensor_.bound[at] += bound_at(mask, place);
    }
    tensor_.real[at] += more;
  });
}

RefTensor Bias::hidden(const RefTensor& scores) const {
  RefTensor result = scores;
  for (std::size_t i = 0; i < result.real.size(); ++i) {
    if (tensor_.real[i] != -kUnknown) continue;
    result.real[i] = -kUnknown;
    if (!result.bound.empty()) result.bound[i] = 0.0;
  }
  return result;
}

RefTensor Bias::cleared(const RefTensor& x) const {
  RefTensor result = x;
  const auto length = static_cast<std::size_t>(x.dims.empty() ? 0 : x.dims.back());
  if (length == 0 || tensor_.real.size() != x.real.size()) return result;
  for (std::size_t row = 0; row < x.real.size(); row += length) {
    const auto first = tensor_.real.begin() + static_cast<std::ptrdiff_t>(row);
    const auto last = first + static_cast<std::ptrdiff_t>(length);
    if (std::any_of(first, last, [](double bias) { return bias != -kUnknown; })) continue;
    for (std::size_t i = row; i < row + length; ++i) {
      result.real[i] = 0.0;
      if (!result.bound.empty()) result.bound[i] = 0.0;
    }
  }
  return result;
}

}  // namespace frit::ref

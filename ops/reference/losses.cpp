// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include <fmt/format.h>

#include "ops/reference/steps.h"

namespace frit::ref {
namespace {

/// A sum of products with the error that NUMERICS.md allows it.
struct Total {
  double sum = 0.0, size = 0.0, carried = 0.0;
  std::int64_t count = 0;

  void add(const Call& call, double value, double error) {
    sum += value;
    if (call.naive()) sum = static_cast<double>(static_cast<float>(sum));
    size += std::fabs(value);
    carried += error;
    ++count;
  }
  double bound() const { return carried + sum_factor(count) * size; }
};

// -x[n, target, …] * weight[target], or their sum, or that divided by the weights' sum.
Result<RefTensor> likelihood(const Call& call, const RefTensor& x) {
  const RefTensor& target = call.in(1);
  if (x.dims.size() < 2) return call.refuse("its input has no axis of classes");
  Dims want = x.dims;
  want.erase(want.begin() + 1);
  if (target.dims != want) {
    return call.refuse(
        fmt::format("target is {} but input is {}", dims_text(target.dims), dims_text(x.dims)));
  }
  const std::string how = string_attribute(call.op.attributes, "reduction", "mean");
  const bool ignores = has_attribute(call.op.attributes, "ignore_index");
  const std::int64_t ignored = call.attr("ignore_index", std::int64_t{0});
  Result<RefTensor> y = make(call, x.dtype, how == "none" ? want : Dims{});
  if (!y) return y;
  if (call.bounded()) y->bound.assign(y->real.size(), 0.0);
  std::int64_t plane = 1;
  for (std::size_t axis = 2; axis < x.dims.size(); ++axis) plane *= x.dims[axis];
  Total loss, weights;
  for (std::size_t i = 0; i < target.integer.size(); ++i) {
    const std::int64_t c = target.integer[i];
    if (ignores && c == ignored) continue;
    if (c < 0 || c >= x.dims[1]) return call.refuse(fmt::format("target {} is no class", c));
    const auto at =
        static_cast<std::size_t>((static_cast<std::int64_t>(i) / plane * x.dims[1] + c) * plane +
                                 static_cast<std::int64_t>(i) % plane);
    const auto k = static_cast<std::size_t>(c);
    const double weight = call.has(2) ? call.in(2).real[k] : 1.0;
    const double weight_error = call.has(2) ? bound_at(call.in(2), k) : 0.0;
    const double value = -x.real[at] * weight;
    const double error = bound_at(x, at) * std::fabs(weight) +
                         (std::fabs(x.real[at]) + bound_at(x, at)) * weight_error +
                         kEps * std::fabs(value) + (weight == 1.0 ? 0.0 : kTiny);
    if (how == "none") {
      y->real[i] = value;
      if (call.bounded()) y->bound[i] = error;
      continue;
    }
    loss.add(call, value, error);
    weights.add(call, weight, weight_error);
  }
  if (how == "none") return y;
  y->real[0] = how == "sum" ? loss.sum : loss.sum / weights.sum;
  if (!call.bounded()) return y;
  const double least = std::fabs(weights.sum) - weights.bound();
  y->bound[0] = how == "sum"  ? loss.bound()
                : least > 0.0 ? (loss.bound() + std::fabs(y->real[0]) * weights.bound()) / least +
                                    kFunction * std::fabs(y->real[0])
                : weights.count ? kUnknown
                                : 0.0;
  return y;
}

Outputs negative_log_likelihood(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  Result<RefTensor> y = likelihood(call, call.in(0));
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  return one(std::move(*y));
}

// The log_prob that is an output is rounded to its type; the loss is of what is not.
Outputs softmax_cross_entropy(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  Steps steps(call);
  RefTensor scores = call.in(0);
  const DType dtype = scores.dtype;
  if (dtype == DType::kF16 || dtype == DType::kBF16) scores.dtype = DType::kF32;
  const RefTensor* log_prob = steps.run("LogSoftmax", {&scores}, {{"axis", std::int64_t{1}}});
  FRIT_TRY(steps.status());
  Result<RefTensor> y = likelihood(call, *log_prob);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  y->dtype = dtype;
  std::vector<RefTensor> outputs{std::move(*y)};
  if (call.op.outputs.size() > 1) {
    outputs.push_back(*log_prob);
    outputs.back().dtype = dtype;
  }
  return outputs;
}

constexpr Entry kEntries[] = {
    {"NegativeLogLikelihoodLoss", 2, 3, negative_log_likelihood},
    {"SoftmaxCrossEntropyLoss", 2, 3, softmax_cross_entropy},
};

}  // namespace

std::span<const Entry> loss_entries() { return kEntries; }

}  // namespace frit::ref

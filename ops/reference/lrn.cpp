// LRN: y = x / (bias + alpha/size * sum of squares over neighbouring channels)^beta.
//
// Error: the sum's own, carried through the power by evaluating it at both ends of the base's
// interval, then four ulp each of power and division.
#include <fmt/format.h>

#include <algorithm>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

struct Norm {
  std::int64_t size = 1;
  double alpha = 0, beta = 0, bias = 0;
};

struct Ranged {
  double value = 0, error = 0;
};

// base^-beta with the error that its own error and the function's make.
Ranged inverse_power(const Norm& norm, const Ranged& base) {
  const double value = std::pow(base.value, -norm.beta);
  if (base.error == 0.0) return {value, kFunction * std::fabs(value) + kTiny};
  if (!(base.value - base.error > 0.0)) return {value, kUnknown};
  const double a = std::pow(base.value - base.error, -norm.beta);
  const double b = std::pow(base.value + base.error, -norm.beta);
  const double carried = std::max(std::fabs(a - value), std::fabs(b - value));
  return {value, carried + kFunction * (std::fabs(value) + carried) + kTiny};
}

// The channel at stride `step`, its window and what it gives.
void normalise(const Call& call, const Norm& norm, std::size_t first, std::int64_t channels,
               std::size_t step, RefTensor& y) {
  const RefTensor& x = call.in(0);
  const std::int64_t before = (norm.size - 1) / 2, after = norm.size - 1 - before;
  for (std::int64_t c = 0; c < channels; ++c) {
    const std::size_t here = first + static_cast<std::size_t>(c) * step;
    const std::int64_t from = std::max<std::int64_t>(0, c - before);
    const std::int64_t to = std::min(channels - 1, c + after);
    double sum = 0.0, carried = 0.0;
    float narrow = 0.0f;
    for (std::int64_t k = from; k <= to; ++k) {
      const std::size_t at = first + static_cast<std::size_t>(k) * step;
      const double value = x.real[at], error = bound_at(x, at);
      sum += value * value;
      narrow += static_cast<float>(value) * static_cast<float>(value);
      carried += (2.0 * std::fabs(value) + error) * error;
    }
    if (call.naive()) {
      const float scale = static_cast<float>(norm.alpha) / static_cast<float>(norm.size);
      const float base = static_cast<float>(norm.bias) + scale * narrow;
      y.real[here] =
          static_cast<float>(x.real[here]) / std::pow(base, static_cast<float>(norm.beta));
      continue;
    }
    const double scale = norm.alpha / static_cast<double>(norm.size);
    const double term = scale * sum;
    Ranged base{norm.bias + term, 0.0};
    y.real[here] = x.real[here] / std::pow(base.value, norm.beta);
    if (!call.bounded()) continue;
    // Product and factor round once each, the addition twice (see call.h).
    base.error = std::fabs(scale) * (carried + sum_factor(norm.size) * sum) +
                 2.0 * kEps * std::fabs(term) +
                 2.0 * kEps * (std::fabs(norm.bias) + std::fabs(term));
    const Ranged power = inverse_power(norm, base);
    const double error = bound_at(x, here), value = std::fabs(x.real[here]);
    y.bound[here] = value * power.error + error * (std::fabs(power.value) + power.error) +
                    kFunction * std::fabs(y.real[here]) + kTiny;
    if (!std::isfinite(base.value) && !std::isnan(base.value)) y.bound[here] = kUnknown;
  }
}

Outputs lrn(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  const RefTensor& x = call.in(0);
  const Norm norm{call.attr("size", std::int64_t{0}), call.attr("alpha", 1e-4f),
                  call.attr("beta", 0.75f), call.attr("bias", 1.0f)};
  if (norm.size < 1) return call.refuse(fmt::format("size is {}", norm.size));
  if (x.dims.size() < 2) return call.refuse("input " + dims_text(x.dims) + " has no channels");
  Result<RefTensor> y = make(call, x.dtype, x.dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  if (call.bounded()) y->bound.assign(y->real.size(), 0.0);
  std::size_t step = 1;
  for (std::size_t a = 2; a < x.dims.size(); ++a) step *= static_cast<std::size_t>(x.dims[a]);
  const auto channels = static_cast<std::size_t>(x.dims[1]);
  for (std::size_t n = 0; n < static_cast<std::size_t>(x.dims[0]); ++n) {
    for (std::size_t i = 0; i < step; ++i) {
      normalise(call, norm, n * channels * step + i, x.dims[1], step, *y);
    }
  }
  return one(std::move(*y));
}

}  // namespace

std::span<const Entry> lrn_entries() {
  static constexpr Entry kEntries[] = {{"LRN", 1, 1, lrn}};
  return kEntries;
}

}  // namespace frit::ref

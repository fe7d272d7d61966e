// Activations beyond the oldest ones of unary.cpp, and gates of two inputs.
#include "ops/reference/steps.h"
#include "ops/reference/unary_rule.h"

namespace frit::ref {
namespace {

constexpr auto kSelu = []<class T>(T x, const Params& p) {
  const T alpha = static_cast<T>(p.alpha), gamma = static_cast<T>(p.beta);
  return x < T(0) ? gamma * (alpha * std::exp(x) - alpha) : gamma * x;
};
constexpr auto kSeluOwn = [](double x, double y, const Params& p) {
  if (!(x < 0.0)) return kEps * std::fabs(y) + kSubnormal;
  const double e = std::exp(x);
  return std::fabs(static_cast<double>(p.alpha) * static_cast<double>(p.beta)) *
             (kFunction * e + kEps * (1.0 - e)) +
         3.0 * kEps * std::fabs(y) + kTiny;
};
constexpr auto kThresholdedRelu = []<class T>(T x, const Params& p) {
  return x > static_cast<T>(p.alpha) ? x : T(0);
};
constexpr auto kSoftsign = []<class T>(T x, const Params&) { return x / (T(1) + std::fabs(x)); };
constexpr auto kMish = []<class T>(T x, const Params&) {
  const T softplus = (x > T(0) ? x : T(0)) + std::log1p(std::exp(-std::fabs(x)));
  return x * std::tanh(softplus);
};
// log(1 + e^x): the sum rounds once; exp, log, tanh within 4 ulp each.
constexpr auto kMishOwn = [](double x, double y, const Params&) {
  return std::fabs(x) * kEps + 3.0 * kFunction * std::fabs(y) + kTiny;
};
constexpr auto kSwish = []<class T>(T x, const Params& p) {
  return x / (T(1) + std::exp(-static_cast<T>(p.alpha) * x));
};
constexpr auto kSwishFormula = []<class T>(T x, const Params& p) {
  // of -inf times the 0 that sigmoid gives, NaN
  return std::isinf(x) ? x * (T(1) / (T(1) + std::exp(-static_cast<T>(p.alpha) * x)))
                       : kSwish(x, p);
};
constexpr auto kSwishOwn = [](double x, double y, const Params& p) {
  const double inner = std::fabs(static_cast<double>(p.alpha) * x);
  return (2.0 * kFunction + 2.0 * kEps * inner) * std::fabs(y) + std::fabs(x) * kTiny + kTiny;
};
constexpr auto kShrink = []<class T>(T x, const Params& p) {
  const T bias = static_cast<T>(p.alpha), limit = static_cast<T>(p.beta);
  return x < -limit ? x + bias : x > limit ? x - bias : T(0);
};

Outputs selu(const Call& call) {
  const Params params{call.attr("alpha", 1.67326319217681884765625F),
                      call.attr("gamma", 1.05070102214813232421875F)};
  const double alpha = std::fabs(static_cast<double>(params.alpha));
  const double slope = std::fabs(static_cast<double>(params.beta)) * std::max(alpha, 1.0);
  return apply(call, rule(kSelu, kSeluOwn, slope), params);
}

Outputs thresholded_relu(const Call& call) {
  return apply(call, rule(kThresholdedRelu, kExact), {call.attr("alpha", 1.0F)});
}
Outputs softsign(const Call& call) { return apply(call, rule(kSoftsign, kFourUlp), {}); }
Outputs mish(const Call& call) { return apply(call, rule(kMish, kMishOwn, 1.09), {}); }

Outputs swish_of(const Call& call, float alpha) {
  return apply(call, rule(kSwishFormula, kSwishOwn, 1.1), {call.attr("alpha", alpha)});
}
Outputs swish(const Call& call) { return swish_of(call, 1.0F); }
Outputs quick_gelu(const Call& call) { return swish_of(call, 1.702F); }

Outputs shrink(const Call& call) {
  const Params params{call.attr("bias", 0.0F), call.attr("lambd", 0.5F)};
  if (is_float(call.in(0).dtype)) return apply(call, rule(kShrink, kOneRounding), params);
  RefTensor y = call.in(0);
  const auto limits = [&](double low, double high) {
    for (std::int64_t& value : y.integer) {
      const double exact = kShrink(static_cast<double>(value), params);
      value = static_cast<std::int64_t>(std::trunc(std::clamp(exact, low, high)));
    }
  };
  switch (y.dtype) {
    case DType::kU8:
      limits(0, 255);
      break;
    case DType::kU16:
      limits(0, 65535);
      break;
    case DType::kU32:
      limits(0, 4294967295.0);
      break;
    case DType::kI8:
      limits(-128, 127);
      break;
    case DType::kI16:
      limits(-32768, 32767);
      break;
    case DType::kI32:
      limits(-2147483648.0, 2147483647.0);
      break;
    default:
      return call.refuse("its input is of 64-bit integers");
  }
  return one(std::move(y));
}

Outputs celu(const Call& call) {
  Steps steps(call);
  const RefTensor* x = &call.in(0);
  const RefTensor* alpha = steps.scalar(x->dtype, static_cast<double>(call.attr("alpha", 1.0F)));
  const RefTensor* inner = steps.run("Elu", {steps.run("Div", {x, alpha})});
  return steps.outputs({steps.run("Mul", {inner, alpha})});
}

Outputs prelu(const Call& call) {
  Steps steps(call);
  const RefTensor* x = &call.in(0);
  const RefTensor* below = steps.run("Less", {x, steps.scalar(x->dtype, 0.0)});
  const RefTensor* product = steps.run("Mul", {x, &call.in(1)});
  return steps.outputs({steps.run("Where", {below, product, x})});
}

Outputs swiglu(const Call& call) {
  Steps steps(call);
  const RefTensor* gate = steps.run("Swish", {&call.in(0)}, {{"alpha", call.attr("alpha", 1.0F)}});
  return steps.outputs({steps.run("Mul", {gate, &call.in(1)})});
}

constexpr Entry kEntries[] = {
    {"Celu", 1, 1, celu},
    {"Mish", 1, 1, mish},
    {"PRelu", 2, 2, prelu},
    {"Selu", 1, 1, selu},
    {"Shrink", 1, 1, shrink},
    {"Softsign", 1, 1, softsign},
    {"SwiGLU", 2, 2, swiglu},
    {"Swish", 1, 1, swish},
    {"ThresholdedRelu", 1, 1, thresholded_relu},
    {"com.microsoft.QuickGelu", 1, 1, quick_gelu},
};

}  // namespace

std::span<const Entry> activation_entries() { return kEntries; }

}  // namespace frit::ref

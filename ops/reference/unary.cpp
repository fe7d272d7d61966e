// Pointwise functions of one input. Composed functions (Softplus, Gelu …) add up the steps of their
// textbook form.
#include <algorithm>
#include <numbers>
#include <string>

#include "ops/reference/call.h"
#include "ops/reference/unary_rule.h"

namespace frit::ref {
namespace {

template <class T>
T clamp01(T x) {
  return x < T(0) ? T(0) : x > T(1) ? T(1) : x;  // NaN falls through
}

constexpr auto kRelu = []<class T>(T x, const Params&) { return x < T(0) ? T(0) : x; };
constexpr auto kLeakyRelu = []<class T>(T x, const Params& p) {
  return x < T(0) ? static_cast<T>(p.alpha) * x : x;
};
constexpr auto kElu = []<class T>(T x, const Params& p) {
  return x < T(0) ? static_cast<T>(p.alpha) * (std::exp(x) - T(1)) : x;
};
constexpr auto kEluOwn = [](double x, double y, const Params& p) {
  if (!(x < 0.0)) return 0.0;
  const double e = std::exp(x);
  return std::fabs(static_cast<double>(p.alpha)) * (kFunction * e + kEps * (1.0 - e)) +
         kEps * std::fabs(y) + kTiny;
};
constexpr auto kSigmoid = []<class T>(T x, const Params&) { return T(1) / (T(1) + std::exp(-x)); };
constexpr auto kTanh = []<class T>(T x, const Params&) { return std::tanh(x); };
constexpr auto kErf = []<class T>(T x, const Params&) { return std::erf(x); };
constexpr auto kExp = []<class T>(T x, const Params&) { return std::exp(x); };
constexpr auto kLog = []<class T>(T x, const Params&) { return std::log(x); };
constexpr auto kSqrt = []<class T>(T x, const Params&) { return std::sqrt(x); };
constexpr auto kReciprocal = []<class T>(T x, const Params&) { return T(1) / x; };
constexpr auto kHardSigmoid = []<class T>(T x, const Params& p) {
  return clamp01(static_cast<T>(p.alpha) * x + static_cast<T>(p.beta));
};
// Product and sum round once each; far inside the flat parts nothing is left of that.
constexpr auto kHardSigmoidOwn = [](double x, double, const Params& p) {
  const double product = std::fabs(static_cast<double>(p.alpha) * x);
  const double error = 2.0 * kEps * (product + std::fabs(static_cast<double>(p.beta)));
  const double line = static_cast<double>(p.alpha) * x + static_cast<double>(p.beta);
  return line < -error || line > 1.0 + error ? 0.0 : error;
};
constexpr auto kHardSwish = []<class T>(T x, const Params&) {
  return x * clamp01(x / T(6) + T(0.5));
};
constexpr auto kHardSwishOwn = [](double x, double y, const Params&) {
  const double rounding = 2.0 * kEps * std::fabs(y);
  if (std::fabs(x) > 3.001) return x < 0.0 ? 0.0 : rounding;
  return std::fabs(x) * kFunction * (std::fabs(x) / 6.0 + 0.5) + rounding;
};
constexpr auto kSoftplus = []<class T>(T x, const Params&) {
  return (x > T(0) ? x : T(0)) + std::log1p(std::exp(-std::fabs(x)));
};
// log(1 + exp(x)): the sum rounds once, exp and log within 4 ulp each.
constexpr auto kSoftplusOwn = [](double x, double y, const Params&) {
  const double e = std::exp(-std::fabs(x));
  return kEps + kFunction * e / (1.0 + e) + (kFunction + kEps) * std::fabs(y) + kTiny;
};
constexpr auto kGeluErf = []<class T>(T x, const Params&) {
  return T(0.5) * x * (T(1) + std::erf(x * static_cast<T>(1.0 / std::numbers::sqrt2)));
};
constexpr auto kGeluErfOwn = [](double x, double y, const Params&) {
  const double t = x / std::numbers::sqrt2;
  const double slope = 2.0 / std::sqrt(std::numbers::pi) * std::exp(-t * t);
  const double inner = kFunction * std::fabs(std::erf(t)) + slope * std::fabs(t) * 3.0 * kEps +
                       kEps * (1.0 + std::erf(t));
  return 0.5 * std::fabs(x) * inner + 2.0 * kEps * std::fabs(y) + kTiny;
};
constexpr auto kGeluTanh = []<class T>(T x, const Params&) {
  const T inner = static_cast<T>(std::sqrt(2.0 / std::numbers::pi)) *
                  (x + static_cast<T>(0.044715) * x * x * x);
  return T(0.5) * x * (T(1) + std::tanh(inner));
};
constexpr auto kGeluTanhOwn = [](double x, double y, const Params&) {
  const double size =
      std::sqrt(2.0 / std::numbers::pi) * (std::fabs(x) + 0.044715 * std::fabs(x * x * x));
  const double t = std::tanh(size);
  const double inner = kFunction * t + (1.0 - t * t) * size * 6.0 * kEps + 2.0 * kEps;
  return 0.5 * std::fabs(x) * inner + 2.0 * kEps * std::fabs(y) + kTiny;
};
constexpr auto kAbs = []<class T>(T x, const Params&) { return std::fabs(x); };
constexpr auto kNeg = []<class T>(T x, const Params&) { return -x; };
constexpr auto kFloor = []<class T>(T x, const Params&) { return std::floor(x); };
constexpr auto kCeil = []<class T>(T x, const Params&) { return std::ceil(x); };
constexpr auto kRound = []<class T>(T x, const Params&) { return std::nearbyint(x); };
constexpr auto kSign = []<class T>(T x, const Params&) {
  return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x;
};
constexpr auto kIdentity = []<class T>(T x, const Params&) { return x; };

// A table entry for a function that is defined on floats only.
template <const auto& kFunctionRule>
Outputs run(const Call& call) {
  return apply(call, kFunctionRule, Params{});
}

constexpr Rule kSigmoidRule = rule(kSigmoid, kFourUlp);
constexpr Rule kTanhRule = rule(kTanh, kFourUlp);
constexpr Rule kErfRule = rule(kErf, kFourUlp);
constexpr Rule kExpRule = rule(kExp, kFourUlp);
constexpr Rule kLogRule = rule(kLog, kFourUlp);
constexpr Rule kSqrtRule = rule(kSqrt, kFourUlp);
constexpr Rule kHardSwishRule = rule(kHardSwish, kHardSwishOwn, 1.5);
constexpr Rule kSoftplusRule = rule(kSoftplus, kSoftplusOwn);
constexpr Rule kFloorRule = rule(kFloor, kExact);
constexpr Rule kCeilRule = rule(kCeil, kExact);
constexpr Rule kRoundRule = rule(kRound, kExact);

Outputs relu(const Call& call) {
  if (!is_float(call.in(0).dtype)) {
    return apply_integers(call, [](std::int64_t v) { return v < 0 ? 0 : v; });
  }
  return apply(call, rule(kRelu, kExact), {});
}

Outputs leaky_relu(const Call& call) {
  const Params params{call.attr("alpha", 0.01f), 0.0f};
  const double slope = std::fabs(static_cast<double>(params.alpha));
  return apply(call, rule(kLeakyRelu, kOneRounding, std::max(slope, 1.0)), params);
}

Outputs elu(const Call& call) {
  const Params params{call.attr("alpha", 1.0f), 0.0f};
  const double slope = std::fabs(static_cast<double>(params.alpha));
  return apply(call, rule(kElu, kEluOwn, std::max(slope, 1.0)), params);
}

Outputs hard_sigmoid(const Call& call) {
  return apply(call, rule(kHardSigmoid, kHardSigmoidOwn),
               {call.attr("alpha", 0.2f), call.attr("beta", 0.5f)});
}

Outputs gelu(const Call& call) {
  const std::string form = string_attribute(call.op.attributes, "approximate", "none");
  if (form == "tanh") return apply(call, rule(kGeluTanh, kGeluTanhOwn, 1.13), {});
  if (form != "none") return call.refuse("approximate is \"" + form + "\", not none or tanh");
  return apply(call, rule(kGeluErf, kGeluErfOwn, 1.13), {});
}

// 1/x is not monotone across 0: an interval that holds 0 cannot be judged.
Outputs reciprocal(const Call& call) {
  Outputs outputs = apply(call, rule(kReciprocal, kFourUlp), {});
  if (!outputs || !call.bounded()) return outputs;
  RefTensor& y = (*outputs)[0];
  const RefTensor& x = call.in(0);
  for (std::size_t i = 0; i < y.bound.size(); ++i) {
    const double spread = bound_at(x, i);
    if (spread > 0.0 && std::fabs(x.real[i]) <= spread) y.bound[i] = kDoubtful;
  }
  return outputs;
}

Outputs absolute(const Call& call) {
  if (!is_float(call.in(0).dtype)) {
    return apply_integers(call, [](std::int64_t v) {
      return v < 0 ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(v)) : v;
    });
  }
  return apply(call, rule(kAbs, kExact, 1.0), {});
}

Outputs negative(const Call& call) {
  if (!is_float(call.in(0).dtype)) {
    return apply_integers(call, [](std::int64_t v) {
      return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(v));
    });
  }
  return apply(call, rule(kNeg, kExact), {});
}

Outputs sign(const Call& call) {
  if (!is_float(call.in(0).dtype)) {
    const bool is_unsigned = call.in(0).dtype == DType::kU64;
    return apply_integers(call, [is_unsigned](std::int64_t v) {
      return std::int64_t{v > 0 || (is_unsigned && v != 0) ? 1 : v < 0 ? -1 : 0};
    });
  }
  return apply(call, rule(kSign, kExact), {});
}

Outputs logical_not(const Call& call) {
  FRIT_TRY(need_integer(call, 0));
  return apply_integers(call, [](std::int64_t v) { return std::int64_t{v == 0}; });
}

Outputs identity(const Call& call) { return one(call.in(0)); }

// ---- Clip: bounds are attributes (opset < 11, canonical form) or inputs.

struct Limit {
  double value = 0.0;
  double bound = 0.0;
  std::int64_t integer = 0;
  bool present = false;
};

Result<Limit> limit_of(const Call& call, const char* name, std::size_t i) {
  Limit limit;
  if (has_attribute(call.op.attributes, name)) {
    limit.value = static_cast<double>(call.attr(name, 0.0f));
    limit.integer = static_cast<std::int64_t>(std::clamp(limit.value, -0x1p62, 0x1p62));
    limit.present = true;
  } else if (call.has(i)) {
    FRIT_TRY(same_dtype(call, 0, i));
    const RefTensor& tensor = call.in(i);
    if (count_of(tensor.dims) != 1) return call.refuse("a bound of Clip is not a scalar");
    limit.present = true;
    limit.bound = bound_at(tensor, 0);
    limit.value = number_at(tensor, 0);
    if (!tensor.integer.empty()) limit.integer = tensor.integer[0];
  }
  return limit;
}

// min(max(x, low), high); NaN stays NaN. Each step is 1-Lipschitz in each operand.
Outputs clip(const Call& call) {
  const Result<Limit> low = limit_of(call, "min", 1);
  if (!low) return tl::unexpected<Diagnostic>(low.error());
  const Result<Limit> high = limit_of(call, "max", 2);
  if (!high) return tl::unexpected<Diagnostic>(high.error());
  if (!is_float(call.in(0).dtype)) {
    return apply_integers(call, [&](std::int64_t v) {
      if (low->present && v < low->integer) v = low->integer;
      return high->present && v > high->integer ? high->integer : v;
    });
  }
  RefTensor y = call.in(0);
  const double extra = std::max(low->bound, high->bound);
  if (call.bounded() && extra > 0.0 && y.bound.empty()) y.bound.assign(y.real.size(), 0.0);
  for (std::size_t i = 0; i < y.real.size(); ++i) {
    double& v = y.real[i];
    const double spread = bound_at(y, i);
    const bool under = low->present && v + spread < low->value - extra;
    const bool over = high->present && v - spread > high->value + extra;
    if (low->present && v < low->value) v = low->value;
    if (high->present && v > high->value) v = high->value;
    if (!y.bound.empty()) y.bound[i] = under || over ? extra : std::max(spread, extra);
  }
  return one(std::move(y));
}

}  // namespace

std::span<const Entry> unary_entries() {
  static constexpr Entry kEntries[] = {
      {"Relu", 1, 1, relu},
      {"LeakyRelu", 1, 1, leaky_relu},
      {"Elu", 1, 1, elu},
      {"Sigmoid", 1, 1, run<kSigmoidRule>},
      {"Tanh", 1, 1, run<kTanhRule>},
      {"HardSigmoid", 1, 1, hard_sigmoid},
      {"HardSwish", 1, 1, run<kHardSwishRule>},
      {"Softplus", 1, 1, run<kSoftplusRule>},
      {"Erf", 1, 1, run<kErfRule>},
      {"Gelu", 1, 1, gelu},
      {"Exp", 1, 1, run<kExpRule>},
      {"Log", 1, 1, run<kLogRule>},
      {"Sqrt", 1, 1, run<kSqrtRule>},
      {"Reciprocal", 1, 1, reciprocal},
      {"Abs", 1, 1, absolute},
      {"Neg", 1, 1, negative},
      {"Floor", 1, 1, run<kFloorRule>},
      {"Ceil", 1, 1, run<kCeilRule>},
      {"Round", 1, 1, run<kRoundRule>},
      {"Sign", 1, 1, sign},
      {"Not", 1, 1, logical_not},
      {"Identity", 1, 1, identity},
      {"Clip", 1, 3, clip},
  };
  return kEntries;
}

}  // namespace frit::ref

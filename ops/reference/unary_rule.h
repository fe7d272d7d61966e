// How the reference evaluates a pointwise function of one input, with its error bound.
//
// Monotone functions carry an input's error by evaluation at both ends of its interval, the others
// by a Lipschitz constant. `own` is what the kernel's float arithmetic adds.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "ops/reference/call.h"

namespace frit::ref {

struct Params {
  float alpha = 0.0f;
  float beta = 0.0f;
};

struct Rule {
  double (*value)(double, const Params&);
  float (*value32)(float, const Params&);
  double (*own)(double x, double y, const Params&);
  double lipschitz = 0.0;  ///< 0: monotone
};

template <class F, class Own>
constexpr Rule rule(F, Own, double lipschitz = 0.0) {
  return {[](double x, const Params& p) { return F{}(x, p); },
          [](float x, const Params& p) { return F{}(x, p); },
          [](double x, double y, const Params& p) { return Own{}(x, y, p); }, lipschitz};
}

inline constexpr auto kExact = [](double, double, const Params&) { return 0.0; };
inline constexpr auto kOneRounding = [](double, double y, const Params&) {
  return kEps * std::fabs(y) + kSubnormal;
};
inline constexpr auto kFourUlp = [](double, double y, const Params&) {
  return kFunction * std::fabs(y) + kTiny;
};

// Error of y = f(x) when x may be off by `spread`.
inline double carried(const Rule& rule, double x, double y, double spread, const Params& params) {
  if (spread == 0.0) return 0.0;
  if (rule.lipschitz > 0.0) return rule.lipschitz * spread;
  const double high = rule.value(x + spread, params);
  const double low = rule.value(x - spread, params);
  if (std::isfinite(x) && (!std::isfinite(high) || !std::isfinite(low))) return kDoubtful;
  return std::max(std::fabs(high - y), std::fabs(low - y));
}

inline Outputs apply(const Call& call, const Rule& rule, const Params& params) {
  FRIT_TRY(need_float(call, 0));
  const RefTensor& x = call.in(0);
  Result<RefTensor> made = make(call, x.dtype, x.dims);
  if (!made) return tl::unexpected<Diagnostic>(made.error());
  RefTensor& y = *made;
  const bool bounded = call.bounded();
  if (bounded) y.bound.resize(y.real.size());
  for (std::size_t i = 0; i < y.real.size(); ++i) {
    if (call.naive() && x.dtype != DType::kF64) {
      y.real[i] = static_cast<double>(rule.value32(static_cast<float>(x.real[i]), params));
      continue;
    }
    y.real[i] = rule.value(x.real[i], params);
    if (!bounded) continue;
    const double carry = carried(rule, x.real[i], y.real[i], bound_at(x, i), params);
    if (carry == kDoubtful) {
      y.bound[i] = kDoubtful;
      continue;
    }
    y.bound[i] = carry + rule.own(x.real[i], std::fabs(y.real[i]) + carry, params);
  }
  return one(std::move(*made));
}

// Integers: only the functions that are exact on them.
template <class F>
Outputs apply_integers(const Call& call, F f) {
  RefTensor y = call.in(0);
  for (std::int64_t& value : y.integer) value = wrapped(y.dtype, f(value));
  return one(std::move(y));
}

}  // namespace frit::ref

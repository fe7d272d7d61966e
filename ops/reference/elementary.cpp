// Circular and hyperbolic functions and their inverses; IsNaN and IsInf.
#include "ops/reference/call.h"
#include "ops/reference/unary_rule.h"

namespace frit::ref {
namespace {

constexpr auto kAcos = []<class T>(T x, const Params&) { return std::acos(x); };
constexpr auto kAcosh = []<class T>(T x, const Params&) { return std::acosh(x); };
constexpr auto kAsin = []<class T>(T x, const Params&) { return std::asin(x); };
constexpr auto kAsinh = []<class T>(T x, const Params&) { return std::asinh(x); };
constexpr auto kAtan = []<class T>(T x, const Params&) { return std::atan(x); };
constexpr auto kAtanh = []<class T>(T x, const Params&) { return std::atanh(x); };
constexpr auto kCos = []<class T>(T x, const Params&) { return std::cos(x); };
constexpr auto kCosh = []<class T>(T x, const Params&) { return std::cosh(x); };
constexpr auto kSin = []<class T>(T x, const Params&) { return std::sin(x); };
constexpr auto kSinh = []<class T>(T x, const Params&) { return std::sinh(x); };
constexpr auto kTan = []<class T>(T x, const Params&) { return std::tan(x); };

template <const auto& kFunctionOf, bool kSlopeOne = false>
Outputs run(const Call& call) {
  return apply(call, rule(kFunctionOf, kFourUlp, kSlopeOne ? 1.0 : 0.0), {});
}

// Even: an interval around 0 reaches further than both its ends.
Outputs cosh(const Call& call) {
  Outputs outputs = apply(call, rule(kCosh, kFourUlp), {});
  if (!outputs || !call.bounded()) return outputs;
  RefTensor& y = (*outputs)[0];
  for (std::size_t i = 0; i < y.bound.size(); ++i) {
    const double spread = bound_at(call.in(0), i);
    if (spread > 0.0) y.bound[i] += std::cosh(spread) - 1.0;
  }
  return outputs;
}

// An interval that holds a pole cannot be judged.
Outputs tan(const Call& call) {
  Outputs outputs = apply(call, rule(kTan, kFourUlp), {});
  if (!outputs || !call.bounded()) return outputs;
  RefTensor& y = (*outputs)[0];
  for (std::size_t i = 0; i < y.bound.size(); ++i) {
    const double x = call.in(0).real[i], spread = bound_at(call.in(0), i);
    if (spread > 0.0 && (spread > 1.0 || std::tan(x - spread) > std::tan(x + spread))) {
      y.bound[i] = kUnknown;
    }
  }
  return outputs;
}

// Whether x is what `test` looks for; an input that may be off by anything cannot be judged.
template <class F>
Outputs test_floats(const Call& call, F test) {
  FRIT_TRY(need_float(call, 0));
  const RefTensor& x = call.in(0);
  Result<RefTensor> y = make(call, DType::kBool, x.dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  if (!x.bound.empty()) y->bound.assign(x.real.size(), 0.0);
  for (std::size_t i = 0; i < x.real.size(); ++i) {
    y->integer[i] = test(x.real[i]) ? 1 : 0;
    if (std::isinf(bound_at(x, i))) y->bound[i] = kUnknown;
  }
  return one(std::move(*y));
}

Outputs is_nan(const Call& call) {
  return test_floats(call, [](double x) { return std::isnan(x); });
}

Outputs is_inf(const Call& call) {
  const bool positive = call.attr("detect_positive", std::int64_t{1}) != 0;
  const bool negative = call.attr("detect_negative", std::int64_t{1}) != 0;
  return test_floats(call,
                     [&](double x) { return std::isinf(x) && (x > 0.0 ? positive : negative); });
}

constexpr Entry kEntries[] = {
    {"Acos", 1, 1, run<kAcos>},
    {"Acosh", 1, 1, run<kAcosh>},
    {"Asin", 1, 1, run<kAsin>},
    {"Asinh", 1, 1, run<kAsinh>},
    {"Atan", 1, 1, run<kAtan>},
    {"Atanh", 1, 1, run<kAtanh>},
    {"Cos", 1, 1, run<kCos, true>},
    {"Cosh", 1, 1, cosh},
    {"IsInf", 1, 1, is_inf},
    {"IsNaN", 1, 1, is_nan},
    {"Sin", 1, 1, run<kSin, true>},
    {"Sinh", 1, 1, run<kSinh>},
    {"Tan", 1, 1, tan},
};

}  // namespace

std::span<const Entry> elementary_entries() { return kEntries; }

}  // namespace frit::ref

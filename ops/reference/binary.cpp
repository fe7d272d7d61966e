// Pointwise operators of two or more inputs, with ONNX broadcasting.
#include <fmt/format.h>

#include <algorithm>

#include "ops/reference/call.h"
#include "ops/reference/cast.h"

namespace frit::ref {
namespace {

// One operand's element: value and error.
struct Term {
  double v = 0.0;
  double e = 0.0;
};

double rounding(double y) { return kEps * std::fabs(y) + kSubnormal; }

// ---- Arithmetic on floats: value in double, value in float, error of the result.

struct Add {
  template <class T>
  static T value(T a, T b) {
    return a + b;
  }
  static double error(Term a, Term b, double) {
    return a.e + b.e + 2.0 * rounding(std::fabs(a.v) + std::fabs(b.v));
  }
};
struct Sub {
  template <class T>
  static T value(T a, T b) {
    return a - b;
  }
  static double error(Term a, Term b, double y) { return Add::error(a, b, y); }
};
struct Mul {
  template <class T>
  static T value(T a, T b) {
    return a * b;
  }
  static double error(Term a, Term b, double y) {
    const double carry = (b.e == 0.0 ? 0.0 : std::fabs(a.v) * b.e) +
                         (a.e == 0.0 ? 0.0 : (std::fabs(b.v) + b.e) * a.e);
    return carry + rounding(std::fabs(y) + carry);
  }
};
struct Div {
  template <class T>
  static T value(T a, T b) {
    return a / b;
  }
  static double error(Term a, Term b, double y) {
    double carry = 0.0;
    if (a.e > 0.0 || b.e > 0.0) {
      const double least = std::fabs(b.v) - b.e;
      if (std::isfinite(b.v) && !(least > 0.0)) return kDoubtful;
      carry = (a.e + std::fabs(y) * b.e) / least;
    }
    return carry + kFunction * (std::fabs(y) + carry) + kTiny;
  }
};
struct Max {
  template <class T>
  static T value(T a, T b) {
    return a > b || std::isnan(a) ? a : b;
  }
  static double error(Term a, Term b, double) { return std::max(a.e, b.e); }
};
struct Min {
  template <class T>
  static T value(T a, T b) {
    return a < b || std::isnan(a) ? a : b;
  }
  static double error(Term a, Term b, double) { return std::max(a.e, b.e); }
};
// exp(b * log(a)), or repeated multiplication for small whole exponents: the first is the larger.
struct Pow {
  template <class T>
  static T value(T a, T b) {
    return std::pow(a, b);
  }
  static double error(Term a, Term b, double y) {
    double carry = 0.0;
    if (a.e > 0.0 || b.e > 0.0) {
      if (b.e == 0.0 && std::nearbyint(b.v) == b.v && b.v > 0.0) {
        const double size = std::fabs(a.v);
        carry = std::pow(size + a.e, b.v) - std::pow(size, b.v);
      } else if (a.v - a.e > 0.0) {
        for (const double da : {-a.e, a.e}) {
          for (const double db : {-b.e, b.e}) {
            carry = std::max(carry, std::fabs(std::pow(a.v + da, b.v + db) - y));
          }
        }
      } else if (std::isfinite(a.v)) {
        return kDoubtful;
      }
    }
    const double exponent =
        a.v == 0.0 || b.v == 0.0 ? 0.0 : std::fabs(b.v * std::log(std::fabs(a.v)));
    return carry + (kFunction + exponent * 2.0 * kFunction) * (std::fabs(y) + carry) + kTiny;
  }
};

template <class Op>
Result<RefTensor> float_pair(const Call& call, const RefTensor& a, const RefTensor& b) {
  const Result<Dims> dims = common_dims(call, {&a, &b});
  if (!dims) return tl::unexpected<Diagnostic>(dims.error());
  Result<RefTensor> made = make(call, a.dtype, *dims);
  if (!made) return made;
  RefTensor& y = *made;
  const bool bounded = call.bounded();
  const bool narrow = call.naive() && a.dtype != DType::kF64;
  if (bounded) y.bound.resize(y.real.size());
  const std::array<Dims, 2> strides{*stretched_strides(a.dims, *dims),
                                    *stretched_strides(b.dims, *dims)};
  walk(*dims, strides, [&](std::size_t i, const std::array<std::int64_t, 2>& at) {
    const auto ia = static_cast<std::size_t>(at[0]);
    const auto ib = static_cast<std::size_t>(at[1]);
    if (narrow) {
      y.real[i] = static_cast<double>(
          Op::value(static_cast<float>(a.real[ia]), static_cast<float>(b.real[ib])));
      return;
    }
    y.real[i] = Op::value(a.real[ia], b.real[ib]);
    if (bounded) {
      y.bound[i] =
          Op::error({a.real[ia], bound_at(a, ia)}, {b.real[ib], bound_at(b, ib)}, y.real[i]);
    }
  });
  return made;
}

// ---- Integers: exact, wrapping to the width of the type.

using IntegerFunction = std::int64_t (*)(DType, std::int64_t, std::int64_t);

bool less(DType dtype, std::int64_t a, std::int64_t b) {
  if (dtype == DType::kU64) return static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
  return a < b;
}

std::int64_t wrap(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }
std::uint64_t bits_of(std::int64_t value) { return static_cast<std::uint64_t>(value); }

std::int64_t int_add(DType, std::int64_t a, std::int64_t b) {
  return wrap(bits_of(a) + bits_of(b));
}
std::int64_t int_sub(DType, std::int64_t a, std::int64_t b) {
  return wrap(bits_of(a) - bits_of(b));
}
std::int64_t int_mul(DType, std::int64_t a, std::int64_t b) {
  return wrap(bits_of(a) * bits_of(b));
}
// Truncates towards zero, as ONNX says for Div. What ONNX leaves open, division by zero, gives 0,
// as do Mod by zero and 0 to a negative power.
std::int64_t int_div(DType dtype, std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (dtype == DType::kU64) return wrap(bits_of(a) / bits_of(b));
  return b == -1 ? wrap(0 - bits_of(a)) : a / b;
}
std::int64_t int_max(DType dtype, std::int64_t a, std::int64_t b) {
  return less(dtype, a, b) ? b : a;
}
std::int64_t int_min(DType dtype, std::int64_t a, std::int64_t b) {
  return less(dtype, b, a) ? b : a;
}
std::int64_t int_pow(DType, std::int64_t a, std::int64_t b) {
  if (b < 0) {
    if (a == 1) return 1;
    if (a == -1) return b % 2 == 0 ? 1 : -1;
    return 0;
  }
  std::uint64_t result = 1;
  std::uint64_t square = bits_of(a);
  for (std::uint64_t n = bits_of(b); n > 0; n >>= 1, square *= square) {
    if (n & 1) result *= square;
  }
  return wrap(result);
}
// Python's %: the sign of the divisor.
std::int64_t int_mod(DType dtype, std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (dtype == DType::kU64) return wrap(bits_of(a) % bits_of(b));
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
// C's %: the sign of the dividend.
std::int64_t int_fmod(DType dtype, std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1 || dtype == DType::kU64) return int_mod(dtype, a, b);
  return a % b;
}
std::int64_t int_and(DType, std::int64_t a, std::int64_t b) { return a != 0 && b != 0; }
std::int64_t int_or(DType, std::int64_t a, std::int64_t b) { return a != 0 || b != 0; }
std::int64_t int_xor(DType, std::int64_t a, std::int64_t b) { return (a != 0) != (b != 0); }
std::int64_t bits_and(DType, std::int64_t a, std::int64_t b) { return a & b; }
std::int64_t bits_or(DType, std::int64_t a, std::int64_t b) { return a | b; }
std::int64_t bits_xor(DType, std::int64_t a, std::int64_t b) { return a ^ b; }
// Every bit goes out where b is not in [0, width); a right shift of a signed type brings its sign.
bool shifts_out(DType dtype, std::int64_t b) { return b < 0 || b >= 8 * size_bytes(dtype); }
std::int64_t bits_left(DType dtype, std::int64_t a, std::int64_t b) {
  return shifts_out(dtype, b) ? 0 : wrap(bits_of(a) << b);
}
std::int64_t bits_right(DType dtype, std::int64_t a, std::int64_t b) {
  if (dtype == DType::kU64) return shifts_out(dtype, b) ? 0 : wrap(bits_of(a) >> b);
  return shifts_out(dtype, b) ? (a < 0 ? -1 : 0) : a >> b;
}
std::int64_t int_equal(DType, std::int64_t a, std::int64_t b) { return a == b; }
std::int64_t int_less(DType d, std::int64_t a, std::int64_t b) { return less(d, a, b); }
std::int64_t int_less_equal(DType d, std::int64_t a, std::int64_t b) { return !less(d, b, a); }
std::int64_t int_greater(DType d, std::int64_t a, std::int64_t b) { return less(d, b, a); }
std::int64_t int_greater_equal(DType d, std::int64_t a, std::int64_t b) { return !less(d, a, b); }

Result<RefTensor> integer_pair(const Call& call, const RefTensor& a, const RefTensor& b,
                               DType result, IntegerFunction function) {
  const Result<Dims> dims = common_dims(call, {&a, &b});
  if (!dims) return tl::unexpected<Diagnostic>(dims.error());
  Result<RefTensor> made = make(call, result, *dims);
  if (!made) return made;
  RefTensor& y = *made;
  const bool unsure = !a.bound.empty() || !b.bound.empty();
  if (unsure) y.bound.resize(y.integer.size());
  const std::array<Dims, 2> strides{*stretched_strides(a.dims, *dims),
                                    *stretched_strides(b.dims, *dims)};
  walk(*dims, strides, [&](std::size_t i, const std::array<std::int64_t, 2>& at) {
    const auto ia = static_cast<std::size_t>(at[0]);
    const auto ib = static_cast<std::size_t>(at[1]);
    y.integer[i] = wrapped(result, function(a.dtype, a.integer[ia], b.integer[ib]));
    if (unsure && (bound_at(a, ia) > 0.0 || bound_at(b, ib) > 0.0)) {
      y.bound[i] = result == DType::kBool ? 1.0 : kUnknown;
    }
  });
  return made;
}

template <class Op, IntegerFunction kInteger>
Result<RefTensor> pair_of(const Call& call, const RefTensor& a, const RefTensor& b) {
  if (is_float(a.dtype)) return float_pair<Op>(call, a, b);
  return integer_pair(call, a, b, a.dtype, kInteger);
}

Outputs wrap_one(Result<RefTensor> made) {
  if (!made) return tl::unexpected<Diagnostic>(std::move(made).error());
  return one(std::move(*made));
}

template <class Op, IntegerFunction kInteger>
Outputs arithmetic(const Call& call) {
  FRIT_TRY(same_dtype(call, 0, 1));
  return wrap_one(pair_of<Op, kInteger>(call, call.in(0), call.in(1)));
}

// Max, Min, Sum, Mean of any number of inputs, from the left.
template <class Op, IntegerFunction kInteger>
Result<RefTensor> chained(const Call& call) {
  RefTensor result = call.in(0);
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    if (!call.has(i)) return call.refuse(fmt::format("input {} is missing", i));
    FRIT_TRY(same_dtype(call, 0, i));
    Result<RefTensor> next = pair_of<Op, kInteger>(call, result, call.in(i));
    if (!next) return next;
    result = std::move(*next);
    if (call.naive()) {
      for (double& value : result.real) value = rounded(result.dtype, value);
    }
  }
  return result;
}

template <class Op, IntegerFunction kInteger>
Outputs variadic(const Call& call) {
  return wrap_one(chained<Op, kInteger>(call));
}

Outputs mean(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  Result<RefTensor> sum = chained<Add, int_add>(call);
  if (!sum) return tl::unexpected<Diagnostic>(std::move(sum).error());
  RefTensor count;
  count.real = {static_cast<double>(call.inputs.size())};
  return wrap_one(float_pair<Div>(call, *sum, count));
}

// The exponent may be of another type; the result is of the base's.
Outputs power(const Call& call) {
  const RefTensor& a = call.in(0);
  const RefTensor& b = call.in(1);
  if (!is_float(a.dtype) && !is_float(b.dtype)) {
    return wrap_one(integer_pair(call, a, b, a.dtype, int_pow));
  }
  const auto as_real = [](const RefTensor& tensor) {
    RefTensor real = tensor;
    if (real.integer.empty()) return real;
    real.dtype = DType::kF64;
    for (std::size_t i = 0; i < tensor.integer.size(); ++i)
      real.real.push_back(number_at(tensor, i));
    real.integer.clear();
    return real;
  };
  Result<RefTensor> made = float_pair<Pow>(call, as_real(a), as_real(b));
  if (!made || is_float(a.dtype)) return wrap_one(std::move(made));
  return one(to_integers(*made, a.dtype));
}

// Error: none where both are exact, else unknown (a wrap may be near).
struct Fmod {
  template <class T>
  static T value(T a, T b) {
    return std::fmod(a, b);
  }
  static double error(Term a, Term b, double) { return a.e > 0.0 || b.e > 0.0 ? kDoubtful : 0.0; }
};
// The sign of the divisor. The addition rounds once.
struct FloorMod {
  template <class T>
  static T value(T a, T b) {
    const T rest = std::fmod(a, b);
    if (rest == T(0)) return std::copysign(rest, b);
    return (rest < T(0)) != (b < T(0)) ? rest + b : rest;
  }
  static double error(Term a, Term b, double y) {
    return a.e > 0.0 || b.e > 0.0 ? kDoubtful : rounding(y);
  }
};

Outputs modulo(const Call& call) {
  FRIT_TRY(same_dtype(call, 0, 1));
  const bool c_style = call.attr("fmod", std::int64_t{0}) != 0;
  const RefTensor& a = call.in(0);
  const RefTensor& b = call.in(1);
  if (!is_float(a.dtype)) {
    return wrap_one(integer_pair(call, a, b, a.dtype, c_style ? int_fmod : int_mod));
  }
  return wrap_one(c_style ? float_pair<Fmod>(call, a, b) : float_pair<FloorMod>(call, a, b));
}

// ---- Comparisons: bool, IEEE on NaN; unsure where the two intervals meet.

struct Equal {
  static bool value(double a, double b) { return a == b; }
};
struct Less {
  static bool value(double a, double b) { return a < b; }
};
struct LessOrEqual {
  static bool value(double a, double b) { return a <= b; }
};
struct Greater {
  static bool value(double a, double b) { return a > b; }
};
struct GreaterOrEqual {
  static bool value(double a, double b) { return a >= b; }
};

template <class Op, IntegerFunction kInteger>
Outputs compare(const Call& call) {
  FRIT_TRY(same_dtype(call, 0, 1));
  const RefTensor& a = call.in(0);
  const RefTensor& b = call.in(1);
  if (!is_float(a.dtype)) return wrap_one(integer_pair(call, a, b, DType::kBool, kInteger));
  const Result<Dims> dims = common_dims(call, {&a, &b});
  if (!dims) return tl::unexpected<Diagnostic>(dims.error());
  Result<RefTensor> made = make(call, DType::kBool, *dims);
  if (!made) return tl::unexpected<Diagnostic>(made.error());
  const bool unsure = !a.bound.empty() || !b.bound.empty();
  if (unsure) made->bound.resize(made->integer.size());
  const std::array<Dims, 2> strides{*stretched_strides(a.dims, *dims),
                                    *stretched_strides(b.dims, *dims)};
  walk(*dims, strides, [&](std::size_t i, const std::array<std::int64_t, 2>& at) {
    const auto ia = static_cast<std::size_t>(at[0]);
    const auto ib = static_cast<std::size_t>(at[1]);
    made->integer[i] = Op::value(a.real[ia], b.real[ib]);
    if (!unsure) return;
    const double spread = bound_at(a, ia) + bound_at(b, ib);
    if (spread > 0.0 && std::fabs(a.real[ia] - b.real[ib]) <= spread) made->bound[i] = 1.0;
  });
  return one(std::move(*made));
}

template <IntegerFunction kInteger>
Outputs logical(const Call& call) {
  FRIT_TRY(need_integer(call, 0));
  FRIT_TRY(same_dtype(call, 0, 1));
  return wrap_one(integer_pair(call, call.in(0), call.in(1), DType::kBool, kInteger));
}

// ---- Bits

template <IntegerFunction kInteger>
Outputs bitwise(const Call& call) {
  FRIT_TRY(need_integer(call, 0));
  FRIT_TRY(same_dtype(call, 0, 1));
  return wrap_one(integer_pair(call, call.in(0), call.in(1), call.in(0).dtype, kInteger));
}

Outputs bit_shift(const Call& call) {
  const std::string direction = string_attribute(call.op.attributes, "direction", "");
  if (direction == "LEFT") return bitwise<bits_left>(call);
  if (direction == "RIGHT") return bitwise<bits_right>(call);
  return call.refuse("direction is \"" + direction + "\"");
}

Outputs bitwise_not(const Call& call) {
  FRIT_TRY(need_integer(call, 0));
  RefTensor y = call.in(0);
  for (std::int64_t& value : y.integer) value = wrapped(y.dtype, ~value);
  return one(std::move(y));
}

// ---- Where

Outputs where(const Call& call) {
  FRIT_TRY(need_integer(call, 0));
  FRIT_TRY(same_dtype(call, 1, 2));
  const RefTensor& cond = call.in(0);
  const RefTensor& a = call.in(1);
  const RefTensor& b = call.in(2);
  const Result<Dims> dims = common_dims(call, {&cond, &a, &b});
  if (!dims) return tl::unexpected<Diagnostic>(dims.error());
  Result<RefTensor> made = make(call, a.dtype, *dims);
  if (!made) return tl::unexpected<Diagnostic>(made.error());
  const bool unsure = !cond.bound.empty() || !a.bound.empty() || !b.bound.empty();
  if (unsure) made->bound.resize(static_cast<std::size_t>(made->elements()));
  const std::array<Dims, 3> strides{*stretched_strides(cond.dims, *dims),
                                    *stretched_strides(a.dims, *dims),
                                    *stretched_strides(b.dims, *dims)};
  walk(*dims, strides, [&](std::size_t i, const std::array<std::int64_t, 3>& at) {
    const auto ic = static_cast<std::size_t>(at[0]);
    const auto ia = static_cast<std::size_t>(at[1]);
    const auto ib = static_cast<std::size_t>(at[2]);
    const bool first = cond.integer[ic] != 0;
    const RefTensor& source = first ? a : b;
    const std::size_t from = first ? ia : ib;
    if (source.real.empty()) {
      made->integer[i] = source.integer[from];
    } else {
      made->real[i] = source.real[from];
    }
    if (!unsure) return;
    made->bound[i] = bound_at(source, from);
    if (bound_at(cond, ic) > 0.0) {
      made->bound[i] = std::fabs(number_at(a, ia) - number_at(b, ib)) +
                       std::max(bound_at(a, ia), bound_at(b, ib));
    }
  });
  return one(std::move(*made));
}

}  // namespace

std::span<const Entry> binary_entries() {
  static constexpr std::size_t kMany = 1 << 20;
  static constexpr Entry kEntries[] = {
      {"Add", 2, 2, arithmetic<Add, int_add>},
      {"Sub", 2, 2, arithmetic<Sub, int_sub>},
      {"Mul", 2, 2, arithmetic<Mul, int_mul>},
      {"Div", 2, 2, arithmetic<Div, int_div>},
      {"Pow", 2, 2, power},
      {"Mod", 2, 2, modulo},
      {"Max", 1, kMany, variadic<Max, int_max>},
      {"Min", 1, kMany, variadic<Min, int_min>},
      {"Sum", 1, kMany, variadic<Add, int_add>},
      {"Mean", 1, kMany, mean},
      {"Equal", 2, 2, compare<Equal, int_equal>},
      {"Less", 2, 2, compare<Less, int_less>},
      {"LessOrEqual", 2, 2, compare<LessOrEqual, int_less_equal>},
      {"Greater", 2, 2, compare<Greater, int_greater>},
      {"GreaterOrEqual", 2, 2, compare<GreaterOrEqual, int_greater_equal>},
      {"And", 2, 2, logical<int_and>},
      {"Or", 2, 2, logical<int_or>},
      {"Xor", 2, 2, logical<int_xor>},
      {"BitShift", 2, 2, bit_shift},
      {"BitwiseAnd", 2, 2, bitwise<bits_and>},
      {"BitwiseNot", 1, 1, bitwise_not},
      {"BitwiseOr", 2, 2, bitwise<bits_or>},
      {"BitwiseXor", 2, 2, bitwise<bits_xor>},
      {"Where", 3, 3, where},
  };
  return kEntries;
}

}  // namespace frit::ref

// Accuracy and special values of the elementary functions, on the CPU levels this machine has.
#include "ops/math.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>

namespace frit::test {
namespace {

using Halide::Expr;
using Halide::Target;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct Function {
  const char* name;
  Expr (*value)(const Expr&);
  double (*exact)(double);
  double ulp;    ///< measured maximum, rounded up; the header's figure
  bool flushes;  ///< results below 2^-126 may be 0
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
double softplus_or_nan(double x) { return std::isnan(x) ? x : softplus(x); }

const Function kFunctions[] = {
    {"exp", math::exp, std::exp, 1.2, false},
    {"exp_of_negative", [](const Expr& x) { return math::exp_of_negative(-Halide::abs(x)); },
     [](double x) { return std::exp(-std::fabs(x)); }, 1.2, true},
    {"exp2", math::exp2, std::exp2, 1.2, false},
    {"expm1", math::expm1, std::expm1, 1.8, false},
    {"log", math::log, std::log, 1.8, false},
    {"tanh", math::tanh, std::tanh, 3.7, false},
    {"sigmoid", math::sigmoid, sigmoid, 2.5, true},
    {"softplus", math::softplus, softplus_or_nan, 3.9, true},
    {"erf", math::erf, std::erf, 3.9, false},
    {"sin", math::sin, std::sin, 1.7, false},
    {"cos", math::cos, std::cos, 1.7, false},
    {"tan", math::tan, std::tan, 3.5, false},
    {"asin", math::asin, std::asin, 2.4, false},
    {"acos", math::acos, std::acos, 1.3, false},
    {"atan", math::atan, std::atan, 1.7, false},
    {"sinh", math::sinh, std::sinh, 1.7, false},
    {"cosh", math::cosh, std::cosh, 1.4, false},
    {"asinh", math::asinh, std::asinh, 2.2, false},
    {"acosh", math::acosh, std::acosh, 2.6, false},
    {"atanh", math::atanh, std::atanh, 2.2, false},
    {"sqrt", [](const Expr& x) { return Halide::sqrt(x); }, std::sqrt, 0.6, false},
    {"reciprocal", [](const Expr& x) { return 1.0F / x; }, [](double x) { return 1 / x; }, 0.6,
     false},
};

/// |got - want| in units in the last place of want, as float32 has them (subnormals included).
double ulps(float got, double want) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : kInf;
  const auto rounded = static_cast<float>(want);
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : kInf;
  int exponent = 0;
  std::frexp(want, &exponent);
  return std::fabs(got - want) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

/// Every `stride`-th float of each sign and exponent, NaNs and infinities among them, and values
/// where functions change over.
std::vector<float> sweep(std::uint32_t stride) {
  std::vector<float> values = {
      0.0F,    -0.0F,    kInf,     -kInf,       kNaN,      -kNaN,          1.0F,
      -1.0F,   88.7228F, 88.7229F, -87.3365F,   -87.3366F, -103.97F,       -103.98F,
      -104.0F, 3.4e38F,  -3.4e38F, 1e-45F,      -1e-45F,   1.1754944e-38F, 9.02F,
      -9.03F,  3.93F,    -17.5F,   0.70710677F, 1.4142135F};
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += stride) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  values.resize((values.size() + 15) / 16 * 16, 1.0F);
  return values;
}

/// Host, and host without its newer vector units.
std::vector<Target> cpu_levels() {
  const Target host = Halide::get_jit_target_from_environment();
  std::vector<Target> levels = {host};
  Target lower(host.os, host.arch, host.bits);
  if (host.arch == Target::X86 && host.has_feature(Target::AVX2)) {
    levels.push_back(lower.with_feature(Target::SSE41).with_feature(Target::JIT));
  }
  if (host.arch == Target::X86 && host.has_feature(Target::AVX512)) {
    levels.push_back(lower.with_feature(Target::SSE41)
                         .with_feature(Target::AVX)
                         .with_feature(Target::AVX2)
                         .with_feature(Target::FMA)
                         .with_feature(Target::F16C)
                         .with_feature(Target::JIT));
  }
  return levels;
}

std::vector<float> evaluate(Expr (*value)(const Expr&), const std::vector<float>& at,
                            const Target& target) {
  Halide::Buffer<float> in(const_cast<float*>(at.data()), static_cast<int>(at.size()));
  std::vector<float> out(at.size());
  Halide::Buffer<float> result(out.data(), static_cast<int>(out.size()));
  Halide::Var x;
  Halide::Func f;
  f(x) = value(in(x));
  f.vectorize(x, target.natural_vector_size<float>());
  f.realize(result, target);
  return out;
}

void expect_accurate(const Function& f, const std::vector<float>& at, const Target& target) {
  const std::vector<float> got = evaluate(f.value, at, target);
  double worst = 0;
  std::string where;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double want = f.exact(static_cast<double>(at[i]));
    if (f.flushes && std::fabs(want) < 0x1p-126 && std::fabs(got[i]) <= 0x1p-126F) continue;
    const double error = ulps(got[i], want);
    if (error <= worst) continue;
    worst = error;
    where = fmt::format("{}({}) = {}, want {}", f.name, at[i], got[i], want);
  }
  EXPECT_LE(worst, f.ulp) << where << " on " << target.to_string();
}

TEST(Math, StaysWithinItsStatedUlpOverAllExponents) {
  const std::vector<float> at = sweep(39989);
  for (const Target& target : cpu_levels()) {
    for (const Function& f : kFunctions) expect_accurate(f, at, target);
  }
}

TEST(Math, SlowStaysWithinItsStatedUlpOverManyFloats) {
  const std::vector<float> at = sweep(61);
  for (const Function& f : kFunctions) expect_accurate(f, at, cpu_levels().front());
}

/// Two arguments whose product, plus 0, is each special value; and plain ones.
struct Made {
  std::vector<float> a, b;
};
const Made kMade = {{kInf, kInf, -kInf, kNaN, -kNaN, 3e38F, -3e38F, 2.0F, -2.0F, 0.0F, 1.0F, 40.0F,
                     -40.0F, 0.5F, kInf, -0.0F},
                    {0.0F, 2.0F, 2.0F, 1.0F, 1.0F, 3e38F, 3e38F, 3.0F, 3.0F, 1.0F, kNaN, 5.0F, 5.0F,
                     0.5F, -kInf, 1.0F}};

struct Special {
  const char* name;
  Expr (*value)(const Expr& x, const Expr& y);  ///< x is the product, y a loaded 1
  double (*exact)(double x);
};
double keep_nan(double x, double y) { return std::isnan(x) ? x : y; }

const Special kSpecials[] = {
    {"relu", [](const Expr& x, const Expr&) { return math::relu(x); },
     [](double x) { return keep_nan(x, std::max(x, 0.0)); }},
    {"clip",
     [](const Expr& x, const Expr&) { return math::clamp_high(math::clamp_low(x, 0.0F), 6.0F); },
     [](double x) { return keep_nan(x, std::min(std::max(x, 0.0), 6.0)); }},
    {"maximum", [](const Expr& x, const Expr& y) { return math::maximum(x, y); },
     [](double x) { return keep_nan(x, std::max(x, 1.0)); }},
    {"maximum, swapped", [](const Expr& x, const Expr& y) { return math::maximum(y, x); },
     [](double x) { return keep_nan(x, std::max(x, 1.0)); }},
    {"minimum", [](const Expr& x, const Expr& y) { return math::minimum(y, x); },
     [](double x) { return keep_nan(x, std::min(x, 1.0)); }},
    {"exp", [](const Expr& x, const Expr&) { return math::exp(x); }, std::exp},
    {"exp - 1", [](const Expr& x, const Expr& y) { return math::exp(x) - y; },
     [](double x) { return std::exp(x) - 1; }},
    {"exp_of_negative",
     [](const Expr& x, const Expr&) { return math::exp_of_negative(-Halide::abs(x)); },
     [](double x) { return std::exp(-std::fabs(x)); }},
    {"expm1", [](const Expr& x, const Expr&) { return math::expm1(x); }, std::expm1},
    {"log", [](const Expr& x, const Expr&) { return math::log(x); }, std::log},
    {"log + 1", [](const Expr& x, const Expr& y) { return math::log(x) + y; },
     [](double x) { return std::log(x) + 1; }},
    {"tanh", [](const Expr& x, const Expr&) { return math::tanh(x); }, std::tanh},
    {"sin", [](const Expr& x, const Expr&) { return math::sin(x); }, std::sin},
    {"cos", [](const Expr& x, const Expr&) { return math::cos(x); }, std::cos},
    {"tan", [](const Expr& x, const Expr&) { return math::tan(x); }, std::tan},
    {"asin", [](const Expr& x, const Expr&) { return math::asin(x); }, std::asin},
    {"acos", [](const Expr& x, const Expr&) { return math::acos(x); }, std::acos},
    {"atan", [](const Expr& x, const Expr&) { return math::atan(x); }, std::atan},
    {"sinh", [](const Expr& x, const Expr&) { return math::sinh(x); }, std::sinh},
    {"cosh", [](const Expr& x, const Expr&) { return math::cosh(x); }, std::cosh},
    {"asinh", [](const Expr& x, const Expr&) { return math::asinh(x); }, std::asinh},
    {"acosh", [](const Expr& x, const Expr&) { return math::acosh(x); }, std::acosh},
    {"atanh", [](const Expr& x, const Expr&) { return math::atanh(x); }, std::atanh},
    {"sigmoid", [](const Expr& x, const Expr&) { return math::sigmoid(x); }, sigmoid},
    {"x * sigmoid", [](const Expr& x, const Expr&) { return x * math::sigmoid(x); },
     [](double x) { return x * sigmoid(x); }},
    {"softplus", [](const Expr& x, const Expr&) { return math::softplus(x); }, softplus_or_nan},
    {"erf", [](const Expr& x, const Expr&) { return math::erf(x); }, std::erf},
    {"sign", [](const Expr& x, const Expr&) { return math::sign(x); },
     [](double x) { return keep_nan(x, (x > 0) - (x < 0)); }},
    {"to integer",
     [](const Expr& x, const Expr&) {
       return Halide::cast<float>(math::convert(Halide::Int(32), x));
     },
     [](double x) {
       return std::isnan(x) ? 0.0 : std::trunc(std::min(std::max(x, -0x1p31), 0x1p31));
     }},
    {"order key",
     [](const Expr& x, const Expr&) { return math::from_order_key(math::order_key(x, true)); },
     [](double x) { return x; }},
    {"pow 0.5", [](const Expr& x, const Expr&) { return math::pow_constant(x, 0.5); },
     [](double x) { return std::pow(x, 0.5); }},
    {"pow", [](const Expr& x, const Expr& y) { return math::pow(x, y * 0.5F); },
     [](double x) { return std::pow(x, 0.5); }},
    {"pow of 1", [](const Expr& x, const Expr& y) { return math::pow(y, x); },
     [](double) { return 1.0; }},
};

std::string wrong_special(const Special& s, const Halide::Buffer<float>& got) {
  for (int i = 0; i < got.width(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const float product = kMade.a[at] * kMade.b[at];
    const double want = s.exact(static_cast<double>(product));
    if (ulps(got(i), want) <= 4 || std::fabs(got(i) - want) < 1e-6) continue;
    return fmt::format("{}({}) = {}, want {}", s.name, product, got(i), want);
  }
  return "";
}

/// The compiler knows of a product that it is neither NaN nor infinite, and may not use it.
void expect_special(const Target& target, bool vectorised) {
  const auto n = static_cast<int>(kMade.a.size());
  Halide::Buffer<float> a(const_cast<float*>(kMade.a.data()), n);
  Halide::Buffer<float> b(const_cast<float*>(kMade.b.data()), n);
  Halide::Buffer<float> y(n);
  y.fill(1.0F);
  Halide::Var x;
  std::vector<Halide::Func> all;  // compiled together, which is quicker
  std::vector<Halide::Buffer<>> results;
  for (const Special& s : kSpecials) {
    Halide::Func f;
    f(x) = s.value(a(x) * b(x) + 0.0F, y(x));
    if (vectorised) f.vectorize(x, target.natural_vector_size<float>());
    all.push_back(f);
    results.push_back(Halide::Buffer<float>(n));
  }
  Halide::Pipeline(all).realize(Halide::Realization(results), target);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(wrong_special(kSpecials[i], results[i]), "")
        << (vectorised ? "vectorised, " : "scalar, ") << target.to_string();
  }
}

TEST(Math, SpecialValuesSurviveWhateverMadeThem) {
  for (const Target& target : cpu_levels()) {
    expect_special(target, true);
    expect_special(target, false);
  }
}

/// C that calls `kernel` on kMade and prints the bits of every result, a line for each function.
std::string driver_source(const std::string& header, std::size_t functions) {
  std::string text = "#include \"" + header + "\"\n#include <stdio.h>\n#include <string.h>\n";
  const auto array = [&](const char* name, const std::vector<float>& values) {
    text += fmt::format("static unsigned {}[{}] = {{", name, values.size());
    for (const float v : values) text += fmt::format("{}u, ", std::bit_cast<std::uint32_t>(v));
    text += "};\n";
  };
  array("a", kMade.a);
  array("b", kMade.b);
  array("y", std::vector<float>(kMade.a.size(), 1.0F));
  text += fmt::format("enum {{ N = {}, F = {} }};\nstatic unsigned out[F][N];\n", kMade.a.size(),
                      functions);
  text += R"(
struct dimension { int32_t min, extent, stride; uint32_t flags; } dim = {0, N, 1, 0};
struct halide_buffer_t {
  uint64_t device;
  const void* device_interface;
  void* host;
  uint64_t flags;
  struct { uint8_t code, bits; uint16_t lanes; } type;
  int32_t dimensions;
  struct dimension* dim;
  void* padding;
};
static struct halide_buffer_t wrap(unsigned* data) {
  struct halide_buffer_t buffer;
  memset(&buffer, 0, sizeof buffer);
  buffer.host = data;
  buffer.type.code = 2;
  buffer.type.bits = 32;
  buffer.type.lanes = 1;
  buffer.dimensions = 1;
  buffer.dim = &dim;
  return buffer;
}
int main(void) {
  struct halide_buffer_t in_a = wrap(a), in_b = wrap(b), in_y = wrap(y), result[F];
  for (int f = 0; f < F; ++f) result[f] = wrap(out[f]);
  kernel(&in_a, &in_b, &in_y)";
  for (std::size_t f = 0; f < functions; ++f) text += fmt::format(", &result[{}]", f);
  text += R"();
  for (int f = 0; f < F; ++f)
    for (int i = 0; i < N; ++i) printf("%u ", out[f][i]);
})";
  return text;
}

// Without the tools of cmake/packages.txt this is skipped.
TEST(Math, SpecialValuesSurviveOnAArch64) {
  if (std::system("command -v qemu-aarch64 aarch64-linux-gnu-gcc > /dev/null") != 0) {
    GTEST_SKIP() << "no qemu-aarch64 or aarch64-linux-gnu-gcc";
  }
  const std::string stem = testing::TempDir() + fmt::format("frit_math_{}", getpid());
  Halide::ImageParam a(Halide::Float(32), 1), b(Halide::Float(32), 1), y(Halide::Float(32), 1);
  Halide::Var x;
  std::vector<Halide::Func> all;
  for (const bool vectorised : {false, true}) {
    for (const Special& s : kSpecials) {
      Halide::Func f;
      f(x) = s.value(a(x) * b(x) + 0.0F, y(x));
      if (vectorised) f.vectorize(x, 4);
      all.push_back(f);
    }
  }
  Halide::Pipeline(all).compile_to({{Halide::OutputFileType::object, stem + ".o"},
                                    {Halide::OutputFileType::c_header, stem + ".h"}},
                                   {a, b, y}, "kernel",
                                   Target("arm-64-linux-no_runtime-no_asserts-no_bounds_query"));
  std::ofstream(stem + ".c") << driver_source(stem + ".h", all.size());
  const std::string build = fmt::format(
      "aarch64-linux-gnu-gcc -w -static {0}.c {0}.o -lm -o {0} && qemu-aarch64 {0} > {0}.txt",
      stem);
  ASSERT_EQ(std::system(build.c_str()), 0);
  std::ifstream printed(stem + ".txt");
  for (std::size_t f = 0; f < all.size(); ++f) {
    Halide::Buffer<float> got(static_cast<int>(kMade.a.size()));
    for (float& value : got) {
      std::uint32_t bits = 0;
      ASSERT_TRUE(printed >> bits);
      value = std::bit_cast<float>(bits);
    }
    const std::size_t count = std::size(kSpecials);
    EXPECT_EQ(wrong_special(kSpecials[f % count], got), "")
        << (f < count ? "scalar" : "vectorised");
  }
  for (const char* end : {"", ".o", ".h", ".c", ".txt"}) std::remove((stem + end).c_str());
}

TEST(Math, PowerMatchesTheLibraryWithinOneUlp) {
  std::vector<float> x, y;
  for (const float a : {0.0F, -0.0F, 1.0F, -1.0F, 2.0F, -2.0F, 0.3F, -0.3F, 1e-40F, 3e38F, kInf,
                        -kInf, kNaN, 1.0001F, 0.9999F, 7.25F}) {
    for (const float b : {0.0F, 1.0F, -1.0F, 2.0F, 3.0F, -3.0F, 0.5F, -0.5F, 2.5F, 33.3F, -120.7F,
                          1e4F, -1e9F, kInf, -kInf, kNaN}) {
      x.push_back(a), y.push_back(b);
    }
  }
  const auto n = static_cast<int>(x.size());
  Halide::Buffer<float> bx(x.data(), n), by(y.data(), n), result(n);
  Halide::Var i;
  Halide::Func f;
  f(i) = math::pow(bx(i), by(i));
  f.vectorize(i, 8);
  f.realize(result);
  for (int k = 0; k < n; ++k) {
    const double want = std::pow(static_cast<double>(bx(k)), static_cast<double>(by(k)));
    EXPECT_LE(ulps(result(k), want), 1.0) << bx(k) << "^" << by(k) << " = " << result(k);
  }
}

TEST(Math, IntegerPowersAndDivisions) {
  const auto at = [](int a, int b, Expr (*value)(const Expr&, const Expr&)) {
    Halide::Buffer<int> x(1), y(1);
    x.fill(a), y.fill(b);
    Halide::Var v;
    Halide::Func g;
    g(v) = value(x(v), y(v));
    return Halide::Buffer<int>(g.realize({1}))(0);
  };
  EXPECT_EQ(at(-3, 5, math::pow), -243);
  EXPECT_EQ(at(2, -1, math::pow), 0);
  EXPECT_EQ(at(-1, -3, math::pow), -1);
  EXPECT_EQ(at(-7, 2, math::divide), -3);
  EXPECT_EQ(at(7, 0, math::divide), 0);
  EXPECT_EQ(at(std::numeric_limits<int>::min(), -1, math::divide), std::numeric_limits<int>::min());
}

}  // namespace
}  // namespace frit::test

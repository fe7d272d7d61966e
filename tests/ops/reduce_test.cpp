#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();
using Ints = std::vector<std::int64_t>;

struct Fold {
  double start;
  std::function<double(double, double)> step;
  std::function<double(double, double)> finish;  // total, count
};

Fold fold_of(const std::string& type) {
  const auto same = [](double t, double) { return t; };
  if (type == "ReduceSum") return {0, [](double t, double x) { return t + x; }, same};
  if (type == "ReduceMean")
    return {0, [](double t, double x) { return t + x; }, [](double t, double n) { return t / n; }};
  if (type == "ReduceMax") return {-kInf, [](double t, double x) { return std::max(t, x); }, same};
  if (type == "ReduceMin") return {kInf, [](double t, double x) { return std::min(t, x); }, same};
  if (type == "ReduceProd") return {1, [](double t, double x) { return t * x; }, same};
  if (type == "ReduceL1") return {0, [](double t, double x) { return t + std::fabs(x); }, same};
  if (type == "ReduceL2")
    return {0, [](double t, double x) { return t + x * x; },
            [](double t, double) { return std::sqrt(t); }};
  if (type == "ReduceSumSquare") return {0, [](double t, double x) { return t + x * x; }, same};
  if (type == "ReduceLogSum")
    return {0, [](double t, double x) { return t + x; },
            [](double t, double) { return std::log(t); }};
  return {0, [](double t, double x) { return t + std::exp(x); },
          [](double t, double) { return std::log(t); }};
}

/// Plain loops; `axes` sorted and non-negative.
std::vector<double> expected(const std::string& type, const Tensor& x, const Ints& axes) {
  const Fold fold = fold_of(type);
  const std::vector<double> values = x.to_doubles();
  std::vector<bool> reduced(x.dims().size(), false);
  for (const auto a : axes) reduced[static_cast<std::size_t>(a)] = true;
  std::size_t outputs = 1;
  double count = 1;
  for (std::size_t a = 0; a < reduced.size(); ++a) {
    if (reduced[a])
      count *= static_cast<double>(x.dims()[a]);
    else
      outputs *= static_cast<std::size_t>(x.dims()[a]);
  }
  std::vector<double> totals(outputs, fold.start);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t rest = i, to = 0, step = 1;
    for (std::size_t a = reduced.size(); a-- > 0;) {
      const auto extent = static_cast<std::size_t>(x.dims()[a]);
      if (!reduced[a]) to += rest % extent * step, step *= extent;
      rest /= extent;
    }
    totals[to] = fold.step(totals[to], values[i]);
  }
  for (double& t : totals) t = fold.finish(t, count);
  return totals;
}

void expect_near(const Tensor& got, const std::vector<double>& want, double tolerance) {
  EXPECT_EQ(difference(got, want, tolerance, tolerance), "");
}

const char* const kAll[] = {"ReduceSum",    "ReduceMean",     "ReduceMax", "ReduceMin",
                            "ReduceProd",   "ReduceL1",       "ReduceL2",  "ReduceSumSquare",
                            "ReduceLogSum", "ReduceLogSumExp"};

TEST(Reduce, EveryTypeOverEachSetOfAxesOfOddExtents) {
  const Tensor x = random_tensor(DType::kF32, {7, 9, 8}, 0.3, 1.4, 1);
  int which = 0;
  for (const std::string type : kAll) {
    // One set of axes for each type in turn keeps the number of compilations down.
    const std::vector<Ints> sets = {{0}, {1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}};
    const Ints axes = sets[static_cast<std::size_t>(which++) % sets.size()];
    SCOPED_TRACE(type);
    const std::int64_t keep = which % 2;
    const Tensor y = run_one(make_op(type, 12, {{"axes", axes}, {"keepdims", keep}}, {x}));
    EXPECT_EQ(y.rank(), keep ? 3 : 3 - static_cast<int>(axes.size()));
    expect_near(y, expected(type, x, axes), 1e-5);
  }
}

TEST(Reduce, AxesAreAConstantInputInLaterOpsets) {
  const Tensor x = random_tensor(DType::kF32, {1, 31, 7}, -1, 1, 2);
  const Tensor axes = Tensor::i64({2}, {-1, 0});
  const Tensor y = run_one(make_op("ReduceMean", 18, {}, {x, axes}, {1}));
  EXPECT_EQ(y.dims(), (Ints{1, 31, 1}));
  expect_near(y, expected("ReduceMean", x, {0, 2}), 1e-6);
  EXPECT_EQ(refusal_of(make_op("ReduceMean", 18, {}, {x, axes})),
            "ReduceMean 'node': input 1 (axes) is computed at run time but must be known when "
            "building; pin it with --const or make it an initializer [onnx-not-constant]");
}

TEST(Reduce, NoAxesMeansAllOrNothing) {
  const Tensor x = random_tensor(DType::kF32, {3, 5}, -1, 1, 3);
  expect_near(run_one(make_op("ReduceSum", 13, {}, {x})), expected("ReduceSum", x, {0, 1}), 1e-6);
  const Tensor same = run_one(make_op("ReduceSum", 13, {{"noop_with_empty_axes", std::int64_t{1}}},
                                      {x, Tensor::i64({0}, {})}, {1}));
  EXPECT_EQ(same.dims(), x.dims());
  expect_near(same, x.to_doubles(), 0);
}

TEST(Reduce, ExtremesPropagateNaNAndInfinity) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x =
      Tensor::f32({4, 3}, {1, kNaN, 2, -inf, 3, -inf, -inf, -inf, -inf, inf, -0.0F, -7});
  const AttributeMap over_rows = {{"axes", Ints{1}}, {"keepdims", std::int64_t{0}}};
  expect_near(run_one(make_op("ReduceMax", 13, over_rows, {x})), {kNaN, 3, -inf, inf}, 0);
  expect_near(run_one(make_op("ReduceMin", 13, over_rows, {x})), {kNaN, -inf, -inf, -7}, 0);
  expect_near(run_one(make_op("ReduceLogSumExp", 13, over_rows, {x})), {kNaN, 3, -inf, inf}, 1e-6);
}

TEST(Reduce, NothingGivesTheIdentity) {
  const Tensor x = Tensor::f32({3, 0}, {});
  const AttributeMap over_rows = {{"axes", Ints{1}}, {"keepdims", std::int64_t{0}}};
  const auto one = [&](const char* type) { return run_one(make_op(type, 13, over_rows, {x})); };
  expect_near(one("ReduceSum"), {0, 0, 0}, 0);
  expect_near(one("ReduceProd"), {1, 1, 1}, 0);
  expect_near(one("ReduceMax"), {-kInf, -kInf, -kInf}, 0);
  expect_near(one("ReduceMin"), {kInf, kInf, kInf}, 0);
  expect_near(one("ReduceMean"), {kNaN, kNaN, kNaN}, 0);
  expect_near(one("ReduceLogSumExp"), {-kInf, -kInf, -kInf}, 0);
}

TEST(Reduce, IntegersAndNarrowFloats) {
  const Tensor i = random_tensor(DType::kI32, {4, 9}, -50, 50, 4);
  const AttributeMap over_rows = {{"axes", Ints{1}}};
  expect_near(run_one(make_op("ReduceSum", 11, over_rows, {i})), expected("ReduceSum", i, {1}), 0);
  expect_near(run_one(make_op("ReduceMin", 11, over_rows, {i})), expected("ReduceMin", i, {1}), 0);
  // Sums of 300 halves around 1000 leave float16; the accumulator does not.
  const Tensor h = random_tensor(DType::kF16, {2, 300}, 900, 1100, 5);
  const Tensor mean = run_one(make_op("ReduceMean", 13, over_rows, {h}));
  EXPECT_EQ(mean.dtype(), DType::kF16);
  expect_near(mean, expected("ReduceMean", h, {1}), 1e-3);
}

TEST(Reduce, AnotherStorageOrderGivesTheSame) {
  const Tensor x = random_tensor(DType::kF32, {3, 4, 5, 2}, -1, 1, 6);
  const AttributeMap spatial = {{"axes", Ints{2, 3}}};
  expect_near(run_one(make_op("ReduceMean", 13, spatial, {x}), {1, 3, 2, 0}),
              expected("ReduceMean", x, {2, 3}), 1e-6);
}

TEST(Reduce, EveryTypeStaysWithinTheBoundOfTheReference) {
  const Tensor x = random_tensor(DType::kF32, {2, 31, 9}, -2, 3, 7);
  const Tensor positive = random_tensor(DType::kF32, {2, 31, 9}, 0.5, 1.5, 8);
  for (const std::string type : kAll) {
    SCOPED_TRACE(type);
    const Tensor& data = type == "ReduceProd" || type == "ReduceLogSum" ? positive : x;
    expect_as_reference(make_op(type, 18, {}, {data, Tensor::i64({2}, {-2, 0})}, {1}));
  }
  const AttributeMap rows = {{"axes", Ints{-1}}, {"keepdims", std::int64_t{0}}};
  expect_as_reference_transposed(make_op("ReduceMean", 11, rows, {x}));
}

TEST(Reduce, FactsNameTheReducedExtents) {
  OpCase test = make_op("ReduceMean", 12, {{"axes", Ints{2, 3}}},
                        {random_tensor(DType::kF32, {1, 6, 3, 5}, 0, 1, 1)});
  const Operator* rule = find_operator("", "ReduceMean");
  test.op.outputs = *rule->infer(test.op);
  ASSERT_TRUE(rule->canonicalise(test.op));
  const Facts facts = rule->facts(test.op);
  EXPECT_EQ(facts.at("c"), 6);
  EXPECT_EQ(facts.at("r0"), 3);
  EXPECT_EQ(facts.at("r1"), 5);
  EXPECT_EQ(facts.at("reduced"), 15);
  EXPECT_EQ(facts.at("outputs"), 6);
  EXPECT_EQ(rule->anchor(test.op), "reduce");
}

TEST(Reduce, RefusesBadAxes) {
  const Tensor x = Tensor::f32({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(refusal_of(make_op("ReduceSum", 11, {{"axes", Ints{2}}}, {x})),
            "ReduceSum 'node': axis 2 is outside its input of rank 2; axes run from -2 to 1 "
            "[onnx-attribute]");
  EXPECT_EQ(refusal_of(make_op("ReduceSum", 11, {{"axes", Ints{1, -1}}}, {x})),
            "ReduceSum 'node': axis 1 is named twice in axes [1,-1]; name each axis once "
            "[onnx-attribute]");
}

TEST(Reduce, OverNoAxesStillSquaresAndTakesLogarithms) {
  const Tensor x = Tensor::f32({3}, {-2, 0.5F, 3}), none = Tensor::i64({0}, {});
  const auto of = [&](const char* type, const Tensor& in) {
    return make_op(type, 18, {{"noop_with_empty_axes", std::int64_t{1}}}, {in, none}, {1});
  };
  EXPECT_EQ(difference(run_one(of("ReduceSumSquare", x)), {4, 0.25, 9}, 0), "");
  EXPECT_EQ(difference(run_one(of("ReduceL2", x)), {2, 0.5, 3}, 0), "");
  EXPECT_EQ(difference(run_one(of("ReduceL1", Tensor::of<std::int32_t>(DType::kI32, {2}, {-2, 3}))),
                       {2, 3}, 0),
            "");
  EXPECT_EQ(difference(run_one(of("ReduceLogSum", Tensor::f32({1}, {1}))), {0}, 0), "");
  expect_as_reference(of("ReduceSumSquare", x));
}

TEST(Reduce, ExtremesOfBoolFromOpset20) {
  const auto bools = [](std::vector<std::int64_t> dims, const std::vector<std::uint8_t>& values) {
    return Tensor::of(DType::kBool, std::move(dims), values);
  };
  const Tensor axis = Tensor::i64({1}, {1});
  const Tensor x = bools({3, 2}, {0, 0, 0, 1, 1, 1});
  const auto of = [&](const char* type, const Tensor& in, int opset = 20) {
    return make_op(type, opset, {{"keepdims", std::int64_t{0}}}, {in, axis}, {1});
  };
  EXPECT_EQ(difference(run_one(of("ReduceMax", x)), {0, 1, 1}, 0), "");
  EXPECT_EQ(difference(run_one(of("ReduceMin", x)), {0, 0, 1}, 0), "");
  const Tensor nothing = bools({1, 0}, {});
  EXPECT_EQ(difference(run_one(of("ReduceMax", nothing)), {0}, 0), "");
  EXPECT_EQ(difference(run_one(of("ReduceMin", nothing)), {1}, 0), "");
  EXPECT_NE(refusal_of(of("ReduceMin", x, 18)), "");
}

}  // namespace
}  // namespace frit::test

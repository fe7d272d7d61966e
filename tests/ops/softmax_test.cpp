#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

const float kInf = std::numeric_limits<float>::infinity();
const float kNaN = std::numeric_limits<float>::quiet_NaN();

AttributeMap axis(std::int64_t a) { return {{"axis", a}}; }

/// Rows are the product of the last `inner` axes.
std::vector<double> expected_rows(const Tensor& x, std::size_t row, bool log) {
  std::vector<double> y = x.to_doubles();
  for (std::size_t start = 0; start < y.size(); start += row) {
    double top = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::size_t i = 0; i < row; ++i) top = std::max(top, y[start + i]);
    for (std::size_t i = 0; i < row; ++i) sum += std::exp(y[start + i] - top);
    for (std::size_t i = 0; i < row; ++i) {
      const double shifted = y[start + i] - top;
      y[start + i] = log ? shifted - std::log(sum) : std::exp(shifted) / sum;
    }
  }
  return y;
}

void expect_close(const Tensor& got, const std::vector<double>& want, double tolerance) {
  EXPECT_EQ(difference(got, want, tolerance, tolerance), "");
}

TEST(Softmax, RowsOfOddLength) {
  for (const std::int64_t n : {1, 7, 8, 9, 31}) {
    SCOPED_TRACE(n);
    const Tensor x = random_tensor(DType::kF32, {3, n}, -9, 9, static_cast<unsigned>(n));
    const auto row = static_cast<std::size_t>(n);
    expect_close(run_one(make_op("Softmax", 13, axis(-1), {x})), expected_rows(x, row, false),
                 1e-5);
    expect_close(run_one(make_op("LogSoftmax", 13, axis(1), {x})), expected_rows(x, row, true),
                 1e-5);
  }
}

TEST(Softmax, OlderOpsetsNormaliseOverAllTrailingAxes) {
  std::vector<float> ramp(24);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = 0.1F * static_cast<float>(i);
  const Tensor x = Tensor::f32({2, 3, 4}, ramp);
  const auto old = run_one(make_op("Softmax", 11, axis(1), {x})).to_doubles();
  EXPECT_NEAR(old[0], .045330, 1e-6);
  EXPECT_NEAR(old[1], .050097, 1e-6);
  EXPECT_NEAR(old[2], .055366, 1e-6);
  EXPECT_NEAR(old[3], .061189, 1e-6);
  const auto now = run_one(make_op("Softmax", 13, axis(1), {x})).to_doubles();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(now[i], .211983, 1e-6);
}

TEST(Softmax, FarFromZeroLosesNothing) {
  const auto y =
      run_one(make_op("Softmax", 13, {}, {Tensor::f32({2}, {-6e4F, -6e4F - 1})})).to_doubles();
  EXPECT_NEAR(y[0], .731059, 1e-6);
  EXPECT_NEAR(y[1], .268941, 1e-6);
}

TEST(Softmax, SpecialRows) {
  const Tensor x = Tensor::f32({5, 3}, {0, kInf, 1,           //
                                        -kInf, -kInf, -kInf,  //
                                        kNaN, 1, 2,           //
                                        -kInf, 0, -kInf,      //
                                        3e38F, -3e38F, 0});
  expect_close(run_one(make_op("Softmax", 13, {}, {x})),
               {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, 0, 1, 0, 1, 0, 0}, 0);
  const auto log = run_one(make_op("LogSoftmax", 13, {}, {x})).to_doubles();
  for (std::size_t i = 0; i < 9; ++i) EXPECT_TRUE(std::isnan(log[i])) << i;
  EXPECT_EQ(log[9], -kInf);
  EXPECT_EQ(log[10], 0);
  EXPECT_EQ(log[12], 0);
}

TEST(Softmax, MiddleAxisAndAnotherStorageOrder) {
  const Tensor x = random_tensor(DType::kF32, {2, 5, 3}, -3, 3, 8);
  const Tensor plain = run_one(make_op("Softmax", 13, axis(1), {x}));
  expect_close(run_one(make_op("Softmax", 13, axis(1), {x}), {1, 2, 0}), plain.to_doubles(), 1e-6);
}

TEST(Softmax, EmptyRowsAndHalves) {
  EXPECT_EQ(run_one(make_op("Softmax", 13, {}, {Tensor::f32({2, 0}, {})})).elements(), 0);
  const Tensor h = random_tensor(DType::kF16, {2, 9}, -4, 4, 9);
  expect_close(run_one(make_op("Softmax", 13, {}, {h})), expected_rows(h, 9, false), 1e-3);
}

TEST(Softmax, StaysWithinTheBoundOfTheReference) {
  for (const char* type : {"Softmax", "LogSoftmax"}) {
    for (const std::int64_t a : {0, 1, 2}) {
      SCOPED_TRACE(std::string(type) + " " + std::to_string(a));
      const Tensor x = random_tensor(DType::kF32, {3, 7, 9}, -20, 20, static_cast<unsigned>(a));
      expect_as_reference(make_op(type, 13, axis(a), {x}));
      expect_as_reference(make_op(type, 11, axis(a), {x}));
    }
  }
}

TEST(Softmax, NamesItsAxesForSchedules) {
  OpCase test = make_op("Softmax", 11, axis(1), {random_tensor(DType::kF32, {2, 3, 4}, 0, 1, 1)});
  const Operator* rule = find_operator("", "Softmax");
  test.op.outputs = *rule->infer(test.op);
  ASSERT_TRUE(rule->canonicalise(test.op));
  EXPECT_EQ(rule->axis_names(test.op), (std::vector<std::string>{"d0", "r0", "r1"}));
  EXPECT_EQ(rule->facts(test.op).at("reduced"), 12);
  EXPECT_EQ(rule->facts(test.op).at("outputs"), 2);
}

// squeezenet ends in a Softmax of opset 9 over [1,1000,1,1]: three axes, one of them a row.
TEST(Softmax, AxesOfOneElementAreNoneOfARow) {
  const auto canonical_axes = [](const std::vector<std::int64_t>& dims) {
    OpCase test = make_op("Softmax", 9, axis(1), {random_tensor(DType::kF32, dims, 0, 1, 1)});
    const Operator* rule = find_operator("", "Softmax");
    test.op.outputs = *rule->infer(test.op);
    EXPECT_TRUE(rule->canonicalise(test.op));
    return ints_attribute(test.op.attributes, "axes", {});
  };
  EXPECT_EQ(canonical_axes({1, 1000, 1, 1}), (std::vector<std::int64_t>{1}));
  EXPECT_EQ(canonical_axes({2, 1, 3, 4}), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(canonical_axes({2, 1, 1}), (std::vector<std::int64_t>{2}));
  expect_as_reference(
      make_op("Softmax", 9, axis(1), {random_tensor(DType::kF32, {2, 17, 1, 1}, -9, 9, 2)}));
}

TEST(Softmax, RefusesIntegersAndBadAxes) {
  EXPECT_EQ(refusal_of(make_op("Softmax", 13, {}, {Tensor::i64({1}, {1})})),
            "Softmax 'node': its input is i64 but must be one of f16, bf16, f32, f64; put a Cast "
            "before it [onnx-type]");
  EXPECT_EQ(refusal_of(make_op("Softmax", 13, axis(-3), {Tensor::f32({1, 1}, {1})})),
            "Softmax 'node': axis -3 is outside its input of rank 2; axes run from -2 to 1 "
            "[onnx-attribute]");
}

}  // namespace
}  // namespace frit::test

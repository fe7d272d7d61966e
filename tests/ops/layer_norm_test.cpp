#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using Ints = std::vector<std::int64_t>;

/// Rows of `row` elements; scale and bias read at index % row.
std::vector<double> expected_rows(const Tensor& x, std::size_t row, double epsilon,
                                  const std::vector<double>& scale,
                                  const std::vector<double>& bias) {
  std::vector<double> y = x.to_doubles();
  for (std::size_t start = 0; start < y.size(); start += row) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < row; ++i) mean += y[start + i] / static_cast<double>(row);
    for (std::size_t i = 0; i < row; ++i) {
      variance += (y[start + i] - mean) * (y[start + i] - mean) / static_cast<double>(row);
    }
    for (std::size_t i = 0; i < row; ++i) {
      const double normal = (y[start + i] - mean) / std::sqrt(variance + epsilon);
      y[start + i] = normal * scale[i % scale.size()] + bias[i % bias.size()];
    }
  }
  return y;
}

void expect_close(const Tensor& got, const std::vector<double>& want, double tolerance) {
  EXPECT_EQ(difference(got, want, tolerance, tolerance), "");
}

TEST(LayerNorm, RowsOfOddLengthWithScaleAndBias) {
  for (const std::int64_t n : {1, 7, 8, 31}) {
    const Tensor x = random_tensor(DType::kF32, {3, n}, -2, 5, static_cast<unsigned>(n));
    const Tensor scale = random_tensor(DType::kF32, {n}, -1, 1, 50);
    const Tensor bias = random_tensor(DType::kF32, {n}, -1, 1, 51);
    const Tensor y = run_one(make_op("LayerNormalization", 17, {}, {x, scale, bias}));
    expect_close(
        y,
        expected_rows(x, static_cast<std::size_t>(n), 1e-5, scale.to_doubles(), bias.to_doubles()),
        1e-5);
  }
}

// CASES.md: one-pass variance is 4 % off here.
TEST(LayerNorm, LargeMeanDoesNotCancel) {
  std::vector<float> values(64);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 1e3F + 0.1F * static_cast<float>(std::sin(static_cast<double>(i) * 1.7));
  }
  const Tensor x = Tensor::f32({1, 64}, values);
  const Tensor y = run_one(make_op("LayerNormalization", 17, {}, {x, Tensor::f32({1}, {1})}));
  expect_close(y, expected_rows(x, 64, 1e-5, {1}, {0}),
               4e-3);  // the mean rounds to 6e-5, its sum to 2e-4
}

TEST(LayerNorm, ScaleOfEachShapeThatBroadcasts) {
  const Tensor x = random_tensor(DType::kF32, {2, 3, 4}, -2, 2, 1);
  const AttributeMap from_1 = {{"axis", std::int64_t{1}}};
  const auto all = random_tensor(DType::kF32, {3, 4}, 0.5, 1.5, 2);
  const auto run = [&](const Tensor& scale) {
    return run_one(make_op("LayerNormalization", 17, from_1, {x, scale}));
  };
  expect_close(run(all), expected_rows(x, 12, 1e-5, all.to_doubles(), {0}), 1e-5);
  const auto last = random_tensor(DType::kF32, {4}, 0.5, 1.5, 3);
  expect_close(run(last), expected_rows(x, 12, 1e-5, last.to_doubles(), {0}), 1e-5);
  const auto first = random_tensor(DType::kF32, {3, 1}, 0.5, 1.5, 4);
  std::vector<double> spread;
  for (const double s : first.to_doubles()) spread.insert(spread.end(), 4, s);
  expect_close(run(first), expected_rows(x, 12, 1e-5, spread, {0}), 1e-5);
}

TEST(LayerNorm, HalvesSumInFloat32) {
  const Tensor x = random_tensor(DType::kF16, {2, 128}, -300, 300, 7);  // squares leave float16
  const Tensor one = random_tensor(DType::kF16, {1}, 1, 1, 0);
  const Tensor y = run_one(make_op("LayerNormalization", 17, {}, {x, one}));
  expect_close(y, expected_rows(x, 128, 1e-5, {1}, {0}), 2e-3);
}

TEST(LayerNorm, StaysWithinTheBoundOfTheReference) {
  const Tensor x = random_tensor(DType::kF32, {2, 7, 31}, -3, 4, 11);
  const Tensor scale = random_tensor(DType::kF32, {31}, -2, 2, 12);
  const Tensor bias = random_tensor(DType::kF32, {31}, -2, 2, 13);
  expect_as_reference(make_op("LayerNormalization", 17, {}, {x, scale, bias}));
  expect_as_reference(make_op("LayerNormalization", 17, {{"epsilon", 0.1F}}, {x, scale}));
  expect_as_reference(make_op("LayerNormalization", 17, {{"axis", std::int64_t{-2}}}, {x, scale}));
}

TEST(LayerNorm, Refusals) {
  const Tensor x = Tensor::f32({2, 1}, {1, 2});
  EXPECT_EQ(refusal_of(make_op("LayerNormalization", 17, {}, {x, Tensor::f32({2}, {1, 2})})),
            "LayerNormalization 'node': scale f32[2] would enlarge the input f32[2,1]; it may only "
            "broadcast to it [onnx-shape]");
  EXPECT_EQ(refusal_of(make_op("LayerNormalization", 17, {{"stash_type", std::int64_t{10}}},
                               {x, Tensor::f32({1}, {1})})),
            "LayerNormalization 'node': stash_type is 10 but frit computes statistics in float32 "
            "(1) or wider; set stash_type to 1 [onnx-attribute]");
}

TEST(RmsNorm, MatchesItsFormula) {
  const Tensor x = random_tensor(DType::kF32, {2, 9}, -2, 2, 1);
  const Tensor scale = random_tensor(DType::kF32, {9}, -1, 1, 2);
  expect_as_reference(make_op("RMSNormalization", 23, {}, {x, scale}));
  const auto y = run_one(make_op("RMSNormalization", 23, {}, {x, scale})).to_doubles();
  const auto v = x.to_doubles(), s = scale.to_doubles();
  for (std::size_t row = 0; row < 2; ++row) {
    double mean_square = 0;
    for (std::size_t i = 0; i < 9; ++i) mean_square += v[row * 9 + i] * v[row * 9 + i] / 9;
    for (std::size_t i = 0; i < 9; ++i) {
      EXPECT_NEAR(y[row * 9 + i], v[row * 9 + i] / std::sqrt(mean_square + 1e-5) * s[i], 1e-6);
    }
  }
}

}  // namespace
}  // namespace frit::test

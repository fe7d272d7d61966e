#include <cmath>

#include <gtest/gtest.h>

#include "ops/philox.h"
#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

Tensor shape_of(std::vector<std::int64_t> dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  return Tensor::f32(std::move(dims), std::vector<float>(static_cast<std::size_t>(count), 0.25F));
}

struct Spread {
  double mean = 0.0, deviation = 0.0, least = 1e9, most = -1e9;
};
Spread spread_of(const Tensor& tensor) {
  Spread s;
  const std::vector<double> values = tensor.to_doubles();
  for (const double v : values) {
    s.mean += v / static_cast<double>(values.size());
    s.least = std::min(s.least, v);
    s.most = std::max(s.most, v);
  }
  for (const double v : values) {
    s.deviation += (v - s.mean) * (v - s.mean) / static_cast<double>(values.size());
  }
  s.deviation = std::sqrt(s.deviation);
  return s;
}

// Of Random123's kat_vectors: counter 0 and key 0 give ff1dae59 6cd10df2.
TEST(Random, TheStreamIsPhilox2x32) {
  const RandomWords words = philox(Halide::Expr(std::uint32_t{0}), 0);
  Halide::Func f;
  Halide::Var x;
  f(x) = Halide::select(x == 0, words.first, words.second);
  const Halide::Buffer<std::uint32_t> both = f.realize({2});
  EXPECT_EQ(both(0), 0xff1dae59U);
  EXPECT_EQ(both(1), 0x6cd10df2U);
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  const Tensor x = shape_of({100, 101});
  const Spread uniform =
      spread_of(run_one(make_op("RandomUniformLike", 22, {{"low", -1.0F}, {"high", 3.0F}}, {x})));
  EXPECT_NEAR(uniform.mean, 1.0, 0.05);
  EXPECT_NEAR(uniform.deviation, 4.0 / std::sqrt(12.0), 0.05);
  EXPECT_GE(uniform.least, -1.0);
  EXPECT_LE(uniform.most, 3.0);
  const Spread normal =
      spread_of(run_one(make_op("RandomNormalLike", 22, {{"mean", 2.0F}, {"scale", 0.5F}}, {x})));
  EXPECT_NEAR(normal.mean, 2.0, 0.03);
  EXPECT_NEAR(normal.deviation, 0.5, 0.03);
}

TEST(Random, ASeedDecidesAndAnotherDiffers) {
  const auto drawn = [](float seed) {
    return run_one(make_op("RandomUniformLike", 1, {{"seed", seed}}, {shape_of({9})})).to_doubles();
  };
  EXPECT_EQ(drawn(1.0F), drawn(1.0F));
  EXPECT_NE(drawn(1.0F), drawn(2.0F));
}

TEST(Random, BernoulliOfCertainties) {
  const Tensor y = run_one(
      make_op("Bernoulli", 15, {{"dtype", std::int64_t{7}}}, {Tensor::f32({4}, {0, 1, 0, 1})}));
  EXPECT_EQ(y.to_ints(), (std::vector<std::int64_t>{0, 1, 0, 1}));
  const Spread s = spread_of(run_one(make_op("Bernoulli", 15, {}, {shape_of({97, 103})})));
  EXPECT_NEAR(s.mean, 0.25, 0.02);
}

TEST(Random, MultinomialDrawsByWeight) {
  const float rare = std::log(0.2F), common = std::log(0.8F);
  const Tensor y = run_one(make_op("Multinomial", 7, {{"sample_size", std::int64_t{5000}}},
                                   {Tensor::f32({1, 2}, {rare, common})}));
  EXPECT_EQ(y.dims(), (std::vector<std::int64_t>{1, 5000}));
  EXPECT_NEAR(spread_of(y).mean, 0.8, 0.03);
}

OpCase training(DType dtype, double ratio, int opset = 22) {
  const Tensor x = random_tensor(dtype, {37, 41}, 1, 2, 1);
  OpCase test = make_op("Dropout", opset, {{"seed", std::int64_t{5}}},
                        {x, Tensor::f32({}, {static_cast<float>(ratio)}),
                         Tensor::of<std::uint8_t>(DType::kBool, {}, {1})},
                        {2});
  test.op.outputs.resize(2);
  return test;
}

TEST(Random, DropoutKeepsAndScalesWhatTheMaskSays) {
  const OpCase test = training(DType::kF32, 0.25);
  const auto both = run_op(test);
  ASSERT_TRUE(both) << both.error().message;
  const std::vector<double> y = both->at(0).to_doubles(), x = test.values[0]->to_doubles();
  const std::vector<std::int64_t> mask = both->at(1).to_ints();
  double kept = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_NEAR(y[i], mask[i] != 0 ? x[i] / 0.75 : 0.0, 1e-6);
    kept += static_cast<double>(mask[i]) / static_cast<double>(y.size());
  }
  EXPECT_NEAR(kept, 0.75, 0.05);
}

TEST(Random, DropoutOfRatioZeroAndInferenceLeaveTheInput) {
  const OpCase zero = training(DType::kF32, 0.0, 13);
  EXPECT_EQ(run_one(zero).to_doubles(), zero.values[0]->to_doubles());
  for (const int opset : {7, 10, 12}) {
    OpCase test = make_op("Dropout", opset, {}, {shape_of({2, 3})});
    test.op.outputs.resize(2);
    const auto both = run_op(test);
    ASSERT_TRUE(both) << both.error().message;
    EXPECT_EQ(both->at(0).to_doubles(), test.values[0]->to_doubles());
    EXPECT_EQ(both->at(1).dtype(), opset < 10 ? DType::kF32 : DType::kBool);
    EXPECT_EQ(both->at(1).to_doubles(), std::vector<double>(6, 1.0));
  }
}

TEST(Random, AsTheReference) {
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) {
    const Tensor x = random_tensor(dtype, {3, 17}, 0, 1, 1);
    for (const char* type : {"RandomNormalLike", "RandomUniformLike", "Bernoulli"}) {
      expect_as_reference(make_op(type, 22, {{"seed", 7.0F}}, {x}));
    }
    expect_as_reference(training(dtype, 0.3));
  }
  expect_as_reference(make_op("Multinomial", 22, {{"sample_size", std::int64_t{13}}},
                              {random_tensor(DType::kF32, {3, 5}, -2, 2, 1)}));
  for (const char* type : {"RandomNormal", "RandomUniform"}) {
    expect_as_reference(
        make_op(type, 22, {{"shape", std::vector<std::int64_t>{3, 0, 7}}, {"seed", 1.0F}}, {}));
    expect_as_reference(
        make_op(type, 22, {{"shape", std::vector<std::int64_t>{3, 7}}, {"seed", 1.0F}}, {}));
  }
}

}  // namespace
}  // namespace frit::test

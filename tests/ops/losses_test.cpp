#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

Tensor targets(std::vector<std::int64_t> dims, std::int64_t classes) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back((i * 7 + 3) % classes);
  return Tensor::i64(std::move(dims), values);
}

const Tensor kScores = Tensor::f32({2, 3}, {1, 2, 3, -1, 0, 5});

TEST(Losses, LikelihoodPicksAndWeighs) {
  const auto loss = [](AttributeMap attributes) {
    return run_one(make_op("NegativeLogLikelihoodLoss", 13, std::move(attributes),
                           {kScores, Tensor::i64({2}, {2, 0}), Tensor::f32({3}, {0.5F, 9, 2})}));
  };
  EXPECT_EQ(difference(loss({{"reduction", std::string("none")}}), {-6, 0.5}, 1e-6), "");
  EXPECT_EQ(difference(loss({{"reduction", std::string("sum")}}), {-5.5}, 1e-6), "");
  EXPECT_EQ(difference(loss({}), {-5.5 / 2.5}, 1e-6), "");
  EXPECT_EQ(difference(loss({{"ignore_index", std::int64_t{0}}}), {-3}, 1e-6), "");
}

TEST(Losses, AnIgnoredTargetMayBeNoClass) {
  const Tensor target = Tensor::of<std::int32_t>(DType::kI32, {2}, {-100, 1});
  const Tensor y = run_one(make_op("NegativeLogLikelihoodLoss", 13,
                                   {{"ignore_index", std::int64_t{-100}}}, {kScores, target}));
  EXPECT_EQ(difference(y, {0}, 0), "");
}

TEST(Losses, CrossEntropyGivesTheLogProbabilities) {
  OpCase test = make_op("SoftmaxCrossEntropyLoss", 13, {}, {kScores, Tensor::i64({2}, {2, 0})});
  test.op.outputs.resize(2);
  const auto both = run_op(test);
  ASSERT_TRUE(both) << both.error().message;
  const double first = 3 - std::log(std::exp(1) + std::exp(2) + std::exp(3));
  const double second = -1 - std::log(std::exp(-1) + 1 + std::exp(5));
  EXPECT_EQ(difference(both->at(0), {-(first + second) / 2}, 1e-5), "");
  const Tensor& log_prob = both->at(1);
  EXPECT_EQ(log_prob.dims(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_NEAR(log_prob.to_doubles()[2], first, 1e-5);
}

TEST(Losses, ShapesThatDisagreeAreRefused) {
  const std::string text = refusal_of(
      make_op("NegativeLogLikelihoodLoss", 13, {}, {kScores, Tensor::i64({3}, {0, 0, 0})}));
  EXPECT_NE(text.find("[n,...]"), std::string::npos) << text;
}

void expect_losses(const std::vector<std::vector<std::int64_t>>& shapes,
                   const std::vector<DType>& dtypes) {
  for (const auto& dims : shapes) {
    std::vector<std::int64_t> outer = dims;
    outer.erase(outer.begin() + 1);
    for (const char* reduction : {"none", "sum", "mean"}) {
      for (const DType dtype : dtypes) {
        const Tensor x = random_tensor(dtype, dims, -5, 5, 1);
        const Tensor weight = random_tensor(dtype, {dims[1]}, 0.1, 2, 2);
        const AttributeMap plain = {{"reduction", std::string(reduction)}};
        AttributeMap ignoring = plain;
        ignoring["ignore_index"] = std::int64_t{1};
        for (const char* type : {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"}) {
          expect_as_reference(make_op(type, 13, plain, {x, targets(outer, dims[1])}));
          expect_as_reference(make_op(type, 13, ignoring, {x, targets(outer, dims[1]), weight}));
        }
      }
    }
  }
}

TEST(Losses, AsTheReference) { expect_losses({{2, 7, 3}}, {DType::kF32}); }
TEST(LossesSlow, AsTheReferenceInEveryType) {
  expect_losses({{3, 5}, {2, 17, 3}, {2, 1, 3, 1, 2}, {0, 4}},
                {DType::kF32, DType::kF64, DType::kF16});
}

}  // namespace
}  // namespace frit::test

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::optional<Tensor> random(DType dtype, std::vector<std::int64_t> dims, unsigned seed) {
  return random_tensor(dtype, std::move(dims), -3, 3, seed);
}

TEST(Norms, InstanceNormalizationOfTwoPlanes) {
  const Tensor x = Tensor::f32({1, 2, 2}, {1, 3, 5, 5});
  const Tensor y = run_one(make_op("InstanceNormalization", 6, {{"epsilon", 0.0F}},
                                   {x, Tensor::f32({2}, {2, 1}), Tensor::f32({2}, {10, 0})}));
  EXPECT_EQ(difference(y, {8, 12, kNaN, kNaN}, 1e-6), "");
}

TEST(Norms, GroupNormalizationScalesByGroupAt18AndByChannelAt21) {
  const Tensor x = Tensor::f32({1, 4, 1}, {1, 3, 5, 9});
  const AttributeMap two = {{"num_groups", std::int64_t{2}}, {"epsilon", 0.0F}};
  const Tensor by_group = run_one(make_op("GroupNormalization", 18, two,
                                          {x, Tensor::f32({2}, {2, 3}), Tensor::f32({2}, {1, 0})}));
  EXPECT_EQ(difference(by_group, {-1, 3, -3, 3}, 1e-6), "");
  const Tensor by_channel =
      run_one(make_op("GroupNormalization", 21, two,
                      {x, Tensor::f32({4}, {1, 2, 3, 4}), Tensor::f32({4}, {0, 0, 0, 1})}));
  EXPECT_EQ(difference(by_channel, {-1, 2, -3, 5}, 1e-6), "");
  const std::string text = refusal_of(make_op(
      "GroupNormalization", 21, two, {x, Tensor::f32({2}, {1, 2}), Tensor::f32({2}, {1, 2})}));
  EXPECT_NE(text.find("4 channels"), std::string::npos) << text;
}

TEST(Norms, LpNormalizationOfZerosIsZero) {
  const Tensor x = Tensor::f32({2, 2}, {3, 4, 0, 0});
  EXPECT_EQ(difference(run_one(make_op("LpNormalization", 22, {}, {x})), {0.6, 0.8, 0, 0}, 1e-6),
            "");
  const Tensor y = run_one(make_op("LpNormalization", 1, {{"p", std::int64_t{1}}}, {x}));
  EXPECT_EQ(difference(y, {3.0 / 7, 4.0 / 7, 0, 0}, 1e-6), "");
}

TEST(Norms, LayerNormalizationGivesItsStatistics) {
  OpCase test = make_op("LayerNormalization", 17, {{"epsilon", 0.0F}},
                        {Tensor::f32({1, 2}, {1, 5}), Tensor::f32({2}, {1, 1})});
  test.op.outputs.resize(3);
  const auto all = run_op(test);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(difference(all->at(0), {-1, 1}, 1e-6), "");
  EXPECT_EQ(difference(all->at(1), {3}, 1e-6), "");
  EXPECT_EQ(difference(all->at(2), {0.5}, 1e-6), "");
}

void expect_norms(const std::vector<DType>& dtypes,
                  const std::vector<std::vector<std::int64_t>>& shapes) {
  for (const DType dtype : dtypes) {
    for (const auto& dims : shapes) {
      const auto x = random(dtype, dims, 1);
      const auto scale = random(dtype, {6}, 2), bias = random(dtype, {6}, 3);
      expect_as_reference(make_op("InstanceNormalization", 22, {}, {x, scale, bias}));
      const AttributeMap groups = {{"num_groups", std::int64_t{3}}};
      expect_as_reference(make_op("GroupNormalization", 21, groups, {x, scale, bias}));
      expect_as_reference(make_op("GroupNormalization", 18, groups,
                                  {x, random(dtype, {3}, 2), random(dtype, {3}, 3)}));
      expect_as_reference(make_op("LpNormalization", 22, {{"axis", std::int64_t{1}}}, {x}));
      expect_as_reference(make_op("MeanVarianceNormalization", 13,
                                  {{"axes", std::vector<std::int64_t>{0, -1}}}, {x}));
    }
  }
}

TEST(Norms, AsTheReference) { expect_norms({DType::kF32}, {{2, 6, 5, 7}, {0, 6, 3}}); }
TEST(NormsSlow, AsTheReferenceInEveryType) {
  expect_norms({DType::kF32, DType::kF64, DType::kF16, DType::kBF16},
               {{2, 6, 5, 7}, {1, 6, 17}, {3, 6}, {2, 6, 1, 1}, {0, 6, 3}});
}

}  // namespace
}  // namespace frit::test

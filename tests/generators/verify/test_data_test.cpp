#include "generators/verify/test_data.h"

#include <gtest/gtest.h>

#include <cmath>

namespace frit::test {
namespace {

TEST(TestData, IsSplitmix64) {
  // first values of the published generator for seed 0
  Random random(0);
  EXPECT_EQ(random.next(), 0xE220A8397B1DCDAFu);
  EXPECT_EQ(random.next(), 0x6E789E6AA1B965F4u);
}

TEST(TestData, RepeatsForASeed) {
  const TensorType type(DType::kF32, {5, 7});
  const Tensor a = test_tensor(type, DataKind::kRandom, 3);
  const Tensor b = test_tensor(type, DataKind::kRandom, 3);
  const Tensor c = test_tensor(type, DataKind::kRandom, 4);
  EXPECT_TRUE(std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin()));
  EXPECT_FALSE(std::equal(a.bytes().begin(), a.bytes().end(), c.bytes().begin()));
}

TEST(TestData, SpecialDataHoldsEveryKindOfNonNumber) {
  const Tensor tensor = test_tensor(TensorType(DType::kF32, {4096}), DataKind::kSpecial, 1);
  int nans = 0, above = 0, below = 0, minus_zero = 0;
  for (const float value : tensor.data<float>()) {
    nans += std::isnan(value);
    above += value == INFINITY;
    below += value == -INFINITY;
    minus_zero += value == 0.0f && std::signbit(value);
  }
  for (const int count : {nans, above, below, minus_zero}) EXPECT_GT(count, 20);
  EXPECT_LT(nans + above + below + minus_zero, 512);
}

TEST(TestData, BoolsAreZeroOrOne) {
  for (const DataKind kind : corner_kinds()) {
    const Tensor tensor = test_tensor(TensorType(DType::kBool, {64}), kind, 9);
    for (const std::int64_t value : tensor.to_ints()) EXPECT_LE(value, 1) << name_of(kind);
  }
}

}  // namespace
}  // namespace frit::test

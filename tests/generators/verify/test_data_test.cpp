#include "generators/verify/test_data.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/graph_builder.h"

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

// ONNX leaves the value of x / 0 open for integers: data to judge by must not ask for it.
TEST(TestData, DivisorsOfIntegersAreNeverZero) {
  GraphBuilder b;
  const ValueId x = b.input("x", {8}, DType::kI32), d = b.input("d", {2, 4}, DType::kI32);
  const ValueId f = b.input("f", {8}), g = b.input("g", {8});
  const ValueId flat = b.add("Reshape", "flat", {d}, {{"shape", std::vector<std::int64_t>{8}}});
  b.output(b.add("Div", "integers", {x, flat}));
  b.output(b.add("Div", "floats", {f, g}));
  EXPECT_EQ(divisor_inputs(b.graph()), std::set<ValueId>{d});
  const TensorType type(DType::kI32, {64});
  for (const DataKind kind : {DataKind::kRandom, DataKind::kZeros, DataKind::kOnes}) {
    const Tensor tensor = test_tensor(type, kind, 1, true);
    for (const std::int32_t value : tensor.data<std::int32_t>()) EXPECT_NE(value, 0);
  }
}

TEST(TestData, BoolsAreZeroOrOne) {
  for (const DataKind kind : corner_kinds()) {
    const Tensor tensor = test_tensor(TensorType(DType::kBool, {64}), kind, 9);
    for (const std::int64_t value : tensor.to_ints()) EXPECT_LE(value, 1) << name_of(kind);
  }
}

}  // namespace
}  // namespace frit::test

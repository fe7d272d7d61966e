// LRN: windows at the first and last channels, every power, special values, refusals.
#include "ops/lrn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::HasSubstr;
using Ints = std::vector<std::int64_t>;

AttributeMap lrn(std::int64_t size, float beta = 0.75f, float alpha = 0.5f, float bias = 1.0f) {
  return {{"size", size}, {"beta", beta}, {"alpha", alpha}, {"bias", bias}};
}

OpCase on(const Ints& dims, const AttributeMap& attributes, DType dtype = DType::kF32) {
  return make_op("LRN", 13, attributes, {random_tensor(dtype, dims, -3, 3, 1)});
}

TEST(Lrn, AsTheReference) {
  for (const std::int64_t size : {1, 2, 3, 5, 8}) {
    SCOPED_TRACE(size);
    expect_as_reference(on({2, 7, 3, 4}, lrn(size)));
  }
  expect_as_reference(on({1, 31, 2, 3}, lrn(64)));  // wider than there are channels
  expect_as_reference(on({1, 1, 2, 3}, lrn(5)));
  expect_as_reference(on({3, 9}, lrn(3)));
  expect_as_reference(on({1, 9, 3}, lrn(3)));
  expect_as_reference(on({1, 9, 2, 2, 3}, lrn(3)));
  expect_as_reference_transposed(on({2, 9, 3, 4}, lrn(5)));
}

TEST(Lrn, EveryPowerAsTheReference) {
  for (const float beta : {0.0f, 0.5f, 0.75f, 1.0f, 2.0f, 0.3f, -1.5f}) {
    SCOPED_TRACE(beta);
    expect_as_reference(on({1, 9, 2, 3}, lrn(5, beta)));
  }
  expect_as_reference(on({1, 9, 2, 3}, lrn(5, 0.75f, 1e-4f, 2.0f)));
  expect_as_reference(on({1, 9, 2, 3}, {{"size", std::int64_t{3}}}));  // defaults
}

TEST(Lrn, OtherTypesAndEmptyExtents) {
  expect_as_reference(on({1, 9, 2, 3}, lrn(5), DType::kF16));
  expect_as_reference(on({1, 9, 2, 3}, lrn(5), DType::kBF16));
  expect_as_reference(on({1, 9, 2, 3}, lrn(5), DType::kF64));
  expect_as_reference(on({0, 9, 2, 3}, lrn(5)));
  expect_as_reference(on({1, 0, 2, 3}, lrn(5)));
}

TEST(Lrn, CountsTheChannelsThatExist) {
  // size 3, alpha 3, bias 0, beta 1: x / (sum of the squares around it).
  const Tensor x = Tensor::f32({1, 4, 1, 1}, {1, 2, 3, 4});
  const Tensor out = run_one(make_op("LRN", 13, lrn(3, 1.0f, 3.0f, 0.0f), {x}));
  const std::vector<double> want = {1.0 / 5, 2.0 / 14, 3.0 / 29, 4.0 / 25};
  EXPECT_EQ(difference(out, want, 1e-6, 0), "");
  // Even sizes take one more channel after.
  const Tensor even = run_one(make_op("LRN", 13, lrn(2, 1.0f, 2.0f, 0.0f), {x}));
  EXPECT_EQ(difference(even, {1.0 / 5, 2.0 / 13, 3.0 / 25, 4.0 / 16}, 1e-6, 0), "");
}

TEST(Lrn, NaNReachesItsWindowOnly) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::f32({1, 5, 1, 1}, {nan, 1, 1, 1, 1});
  const Tensor out = run_one(make_op("LRN", 13, lrn(3), {x}));
  EXPECT_TRUE(std::isnan(out.data<float>()[0]));
  EXPECT_TRUE(std::isnan(out.data<float>()[1]));
  for (std::size_t c = 2; c < 5; ++c) EXPECT_FALSE(std::isnan(out.data<float>()[c]));
}

TEST(Lrn, Refusals) {
  EXPECT_EQ(refusal_of(on({1, 9, 2, 3}, {})),
            "LRN 'node': size is 0 but must be from 1 to 65536; correct the attribute "
            "[onnx-attribute]");
  EXPECT_THAT(refusal_of(on({9}, lrn(3))), HasSubstr("but [n,c] and up to three spatial axes"));
  EXPECT_THAT(refusal_of(on({1, 9, 2, 3}, lrn(3, std::numeric_limits<float>::infinity()))),
              HasSubstr("beta is inf but must be finite"));
  EXPECT_THAT(refusal_of(on({1, 9, 2, 3}, lrn(3), DType::kI32)), HasSubstr("[onnx-type]"));
}

}  // namespace
}  // namespace frit::test

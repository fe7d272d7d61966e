#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/op_harness.h"

namespace frit::test {
namespace {

const float kNaN = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

std::vector<float> floats(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  return {data.begin(), data.end()};
}

TEST(Pointwise, ReluPropagatesNaN) {
  const auto y =
      floats(run_one(make_op("Relu", 14, {}, {Tensor::f32({5}, {-1, 2, kNaN, -kInf, kInf})})));
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 2);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_EQ(y[3], 0);
  EXPECT_EQ(y[4], kInf);
}

TEST(Pointwise, AddBroadcastsARowOverAColumn) {
  const auto y = run_one(
      make_op("Add", 14, {}, {Tensor::f32({2, 1}, {1, 2}), Tensor::f32({3}, {10, 20, 30})}));
  EXPECT_EQ(y.dims(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(floats(y), (std::vector<float>{11, 21, 31, 12, 22, 32}));
}

}  // namespace
}  // namespace frit::test

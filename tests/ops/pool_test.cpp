// Pools: the exact values of CASES.md, then windows of every kind against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/op_harness.h"

namespace frit::test {
namespace {

using testing::ElementsAre;
using Ints = std::vector<std::int64_t>;

std::vector<float> floats(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  return {data.begin(), data.end()};
}

TEST(MaxPool, CeilWindowsMustStartInsideInputAndBeginPad) {
  const AttributeMap attributes = {{"kernel_shape", Ints{2}},
                                   {"strides", Ints{2}},
                                   {"pads", Ints{1, 1}},
                                   {"ceil_mode", std::int64_t{1}}};
  const Tensor in = Tensor::f32({1, 1, 5}, {1, 2, 3, 4, 5});
  EXPECT_THAT(floats(run_one(make_op("MaxPool", 12, attributes, {in}))), ElementsAre(1, 3, 5));
}

TEST(AveragePool, CeilOutputsOfSevenByThree) {
  const Ints floor_sizes = {2, 3, 3, 3, 4}, ceil_sizes = {3, 3, 4, 4, 4};
  for (std::int64_t n = 6; n <= 10; ++n) {
    for (const std::int64_t ceil_mode : {0, 1}) {
      const AttributeMap attributes = {{"kernel_shape", Ints{7}},
                                       {"strides", Ints{3}},
                                       {"pads", Ints{3, 3}},
                                       {"ceil_mode", ceil_mode}};
      const Tensor in = random_tensor(DType::kF32, {1, 1, n}, -1, 1, 1);
      const Tensor y = run_one(make_op("AveragePool", 12, attributes, {in}));
      const auto at = static_cast<std::size_t>(n - 6);
      EXPECT_EQ(y.dims()[2], ceil_mode == 1 ? ceil_sizes[at] : floor_sizes[at]);
    }
  }
}

TEST(GlobalAveragePool, AveragesAllPositions) {
  const Tensor in = Tensor::f32({1, 2, 1, 2}, {1, 3, 10, 20});
  EXPECT_THAT(floats(run_one(make_op("GlobalAveragePool", 1, {}, {in}))), ElementsAre(2, 15));
}

}  // namespace
}  // namespace frit::test

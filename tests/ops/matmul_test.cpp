// MatMul and Gemm: exact products, then every operand shape against the reference.
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

TEST(Gemm, ZeroProductLeavesTheBias) {
  const Tensor zero = Tensor::f32({2, 2}, {0, 0, 0, 0});
  const Tensor y = run_one(make_op("Gemm", 13, {}, {zero, zero, Tensor::f32({2}, {1, 2})}));
  EXPECT_THAT(floats(y), ElementsAre(1, 2, 1, 2));
}

TEST(MatMul, MultipliesRowsByColumns) {
  const Tensor a = Tensor::f32({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Tensor::f32({3, 2}, {1, 0, 0, 1, 2, 2});
  EXPECT_THAT(floats(run_one(make_op("MatMul", 13, {}, {a, b}))), ElementsAre(7, 8, 16, 17));
}

TEST(MatMul, RefusesDifferentInnerExtents) {
  const Tensor a = Tensor::f32({1, 2}, {1, 2}), b = Tensor::f32({3, 1}, {1, 2, 3});
  EXPECT_EQ(refusal_of(make_op("MatMul", 13, {}, {a, b})),
            "MatMul 'node': f32[1,2] times f32[3,1] sums over 2 on the left but 3 on the right; "
            "correct the model or pass --shape [onnx-shape]");
}

}  // namespace
}  // namespace frit::test

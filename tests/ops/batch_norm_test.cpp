// BatchNormalization against the reference, and its refusals.
#include "ops/batch_norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using Ints = std::vector<std::int64_t>;

OpCase batch_norm(const Ints& dims, AttributeMap attributes, DType dtype = DType::kF32,
                  int opset = 15) {
  const Ints channels = {dims[1]};
  return make_op(
      "BatchNormalization", opset, std::move(attributes),
      {random_tensor(dtype, dims, -3, 3, 1), random_tensor(dtype, channels, -2, 2, 2),
       random_tensor(dtype, channels, -1, 1, 3), random_tensor(dtype, channels, -1, 1, 4),
       random_tensor(dtype, channels, 0, 2, 5)});
}

TEST(BatchNormalization, AsTheReference) {
  for (const Ints& dims : {Ints{1, 7, 9, 8}, Ints{2, 1, 1, 31}, Ints{2, 9}, Ints{1, 3, 8}}) {
    SCOPED_TRACE(dims_text(dims));
    expect_as_reference(batch_norm(dims, {{"epsilon", 1e-3F}}));
  }
  expect_as_reference(batch_norm({1, 3, 5, 5}, {}, DType::kF16));
  expect_as_reference(batch_norm({1, 3, 5, 5}, {{"spatial", std::int64_t{1}}}, DType::kF32, 7));
}

TEST(BatchNormalization, TinyVarianceRestsOnEpsilon) {
  const Tensor one = Tensor::f32({1}, {1}), zero = Tensor::f32({1}, {0});
  expect_as_reference(make_op("BatchNormalization", 15, {{"epsilon", 1e-5F}},
                              {Tensor::f32({1, 1, 1}, {0.5F}), one, zero, zero, zero}));
}

TEST(BatchNormalization, TrainingNormalisesByTheBatchAndMovesTheStatistics) {
  OpCase test = make_op("BatchNormalization", 15,
                        {{"training_mode", std::int64_t{1}}, {"momentum", 0.5F}, {"epsilon", 0.0F}},
                        {Tensor::f32({2, 1}, {1, 5}), Tensor::f32({1}, {3}), Tensor::f32({1}, {1}),
                         Tensor::f32({1}, {7}), Tensor::f32({1}, {2})});
  test.op.outputs.resize(3);
  const auto all = run_op(test);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(difference(all->at(0), {-2, 4}, 1e-6), "");
  EXPECT_EQ(difference(all->at(1), {5}, 1e-6), "");
  EXPECT_EQ(difference(all->at(2), {3}, 1e-6), "");
  for (const int opset : {14, 15}) {
    expect_as_reference(
        batch_norm({2, 3, 5, 7}, {{"training_mode", std::int64_t{1}}}, DType::kF32, opset));
  }
}

TEST(BatchNormalization, RefusesOtherExtents) {
  OpCase test = batch_norm({1, 3, 5, 5}, {});
  test.op.inputs[2] = TensorType(DType::kF32, {4});
  EXPECT_EQ(refusal_of(test),
            "BatchNormalization 'node': its bias is f32[4] but its input f32[1,3,5,5] has 3 "
            "channels; correct the model [onnx-shape]");
}

}  // namespace
}  // namespace frit::test

// MaxRoiPool: bins by hand, odd regions against the reference, refusals.
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

AttributeMap pooled(std::int64_t rows, std::int64_t columns, float scale = 1.0F) {
  return {{"pooled_shape", std::vector<std::int64_t>{rows, columns}}, {"spatial_scale", scale}};
}

TEST(MaxRoiPool, BinsOverlapByHand) {
  const Tensor x = Tensor::f32({1, 1, 3, 3}, {1, 2, 3, 4, 9, 6, 7, 8, 5});
  // Three rows in two bins: rows 0..1 and 1..2.
  const Tensor whole = Tensor::f32({1, 5}, {0, 0, 0, 2, 2});
  EXPECT_EQ(
      difference(run_one(make_op("MaxRoiPool", 22, pooled(2, 2), {x, whole})), {9, 9, 9, 9}, 0),
      "");
  EXPECT_EQ(difference(run_one(make_op("MaxRoiPool", 22, pooled(3, 1), {x, whole})), {3, 9, 8}, 0),
            "");
  // 1.5 and 2.5 round away from zero, to 2 and 3: row 2 and one outside.
  const Tensor half = Tensor::f32({1, 5}, {0, 1.5F, 1.5F, 2.5F, 2.5F});
  EXPECT_EQ(difference(run_one(make_op("MaxRoiPool", 1, pooled(2, 2), {x, half})), {5, 0, 0, 0}, 0),
            "");
}

TEST(MaxRoiPool, NothingInABinIsZeroAndNaNIsTaken) {
  const Tensor x = Tensor::f32({1, 1, 1, 3}, {-kInf, kNaN, -1});
  const Tensor rois = Tensor::f32({4, 5}, {0, 0, 0, 0, 0, 0, 1, 0, 2, 0,  //
                                           0, 2, 0, 9, 9, 0, 7, 7, 9, 9});
  EXPECT_EQ(difference(run_one(make_op("MaxRoiPool", 22, pooled(1, 1), {x, rois})),
                       {-kInf, kNaN, -1, 0}, 0),
            "");
}

TEST(MaxRoiPool, AsTheReference) {
  const std::vector<float> boxes = {0,  0,  0,  8,  6,  1,  1.3F, 2.1F,  4.2F, 5.7F, 1,   -9,
                                    -7, 19, 17, 0,  5,  4,  2,    1,     1,    3,    3,   3,
                                    3,  0,  40, 50, 60, 70, 9,    -1e9F, 0,    1e9F, kNaN};
  const Tensor rois = Tensor::f32({7, 5}, boxes);
  const Tensor x = random_tensor(DType::kF32, {2, 17, 7, 9}, -2, 2, 1);
  expect_as_reference(make_op("MaxRoiPool", 22, pooled(3, 2), {x, rois}));
  expect_as_reference(make_op("MaxRoiPool", 1, pooled(11, 13, 0.37F), {x, rois}));
  expect_as_reference(make_op("MaxRoiPool", 22, pooled(2, 2),
                              {random_tensor(DType::kF32, {2, 3, 0, 9}, -2, 2, 1), rois}));
  expect_as_reference(make_op("MaxRoiPool", 22, pooled(2, 2), {x, Tensor::f32({0, 5}, {})}));
  for (const DType dtype : {DType::kF64, DType::kF16, DType::kBF16}) {
    expect_as_reference(make_op(
        "MaxRoiPool", 22, pooled(2, 3),
        {random_tensor(dtype, {2, 3, 7, 9}, -2, 2, 1), random_tensor(dtype, {4, 5}, 0, 9, 2)}));
  }
}

TEST(MaxRoiPool, Refusals) {
  const Tensor x = Tensor::f32({1, 1, 1, 1}, {1}), rois = Tensor::f32({1, 4}, {0, 0, 0, 0});
  EXPECT_EQ(refusal_of(make_op("MaxRoiPool", 22, pooled(1, 1), {x, rois})),
            "MaxRoiPool 'node': its inputs are f32[1,1,1,1] and f32[1,4] but must be [n,c,h,w] of "
            "at least one image and [rois,5]; correct the model [onnx-shape]");
  EXPECT_EQ(refusal_of(make_op("MaxRoiPool", 22, pooled(0, 1), {x, rois})),
            "MaxRoiPool 'node': pooled_shape is [0,1] but must be two numbers from 1 to 65536; "
            "correct the attribute [onnx-attribute]");
}

}  // namespace
}  // namespace frit::test

// GridSample and AffineGrid: values by hand, every mode against the reference, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::HasSubstr;
using Ints = std::vector<std::int64_t>;

OpCase sample(const Ints& x, Ints points, AttributeMap attributes, DType dtype = DType::kF32,
              int opset = 22) {
  points.insert(points.begin(), x[0]);
  points.push_back(static_cast<std::int64_t>(x.size()) - 2);
  return make_op(
      "GridSample", opset, std::move(attributes),
      {random_tensor(dtype, x, -3, 3, 1), random_tensor(DType::kF32, points, -2.6, 2.6, 2)});
}

TEST(GridSample, MiddleOfFourByHand) {
  const Tensor x = Tensor::f32({1, 1, 2, 2}, {1, 2, 3, 6});
  const Tensor grid = Tensor::f32({1, 1, 3, 2}, {0, 0, -1, -1, 9, 0});
  const auto run = [&](AttributeMap attributes) {
    return run_one(make_op("GridSample", 20, std::move(attributes), {x, grid}));
  };
  EXPECT_EQ(difference(run({}), {3, 0.25, 0}, 1e-6), "");
  EXPECT_EQ(difference(run({{"align_corners", std::int64_t{1}}}), {3, 1, 0}, 1e-6), "");
  EXPECT_EQ(difference(run({{"padding_mode", std::string("border")}}), {3, 1, 4}, 1e-6), "");
}

TEST(GridSample, EveryModeAsTheReference) {
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    for (const char* padding : {"zeros", "border", "reflection"}) {
      for (const std::int64_t align : {0, 1}) {
        SCOPED_TRACE(std::string(mode) + " " + padding + " " + std::to_string(align));
        const AttributeMap attributes = {{"mode", std::string(mode)},
                                         {"padding_mode", std::string(padding)},
                                         {"align_corners", align}};
        expect_as_reference(sample({2, 3, 5, 4}, {3, 7}, attributes));
      }
    }
  }
}

TEST(GridSample, ANanPositionGivesNanAndAnExactOneItsInfinity) {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x = Tensor::f32({1, 1, 5}, {1, 2, inf, 4, 5});
  const Tensor grid = Tensor::f32({1, 8, 1}, {NAN, 0, 0.5F, NAN, -1, 1, -0.5F, 1});
  // Beside the infinity its weight 0 counts.
  const std::vector<double> want = {NAN, inf, 4, NAN, 1, 5, NAN, 5};
  for (const char* padding : {"border", "reflection"}) {
    const AttributeMap attributes = {{"mode", std::string("nearest")},
                                     {"padding_mode", std::string(padding)},
                                     {"align_corners", std::int64_t{1}}};
    AttributeMap linear = attributes;
    linear["mode"] = std::string("linear");
    expect_as_reference(make_op("GridSample", 20, attributes, {x, grid}));
    expect_as_reference(make_op("GridSample", 20, linear, {x, grid}));
  }
  const AttributeMap border = {{"padding_mode", std::string("border")},
                               {"align_corners", std::int64_t{1}}};
  const Tensor y = run_one(make_op("GridSample", 20, border, {x, grid}));
  EXPECT_EQ(difference(y, want, 1e-6), "");
}

TEST(GridSample, RanksTypesAndOpsetsAsTheReference) {
  expect_as_reference(sample({1, 2, 3, 4, 5}, {2, 3, 3}, {}));
  expect_as_reference(sample({1, 2, 3, 4, 5}, {2, 3, 3}, {{"mode", std::string("nearest")}}));
  expect_as_reference(sample({2, 2, 9}, {17}, {}));
  expect_as_reference(sample({1, 1, 1, 1}, {2, 2}, {{"padding_mode", std::string("reflection")}}));
  expect_as_reference(
      sample({1, 1, 1, 1}, {2, 2},
             {{"padding_mode", std::string("reflection")}, {"align_corners", std::int64_t{1}}}));
  expect_as_reference(sample({1, 2, 3, 4}, {0, 3}, {}));
  expect_as_reference(
      sample({1, 2, 3, 4}, {2, 3}, {{"mode", std::string("bicubic")}}, DType::kF32, 16));
  expect_as_reference(sample({1, 2, 3, 4}, {2, 3}, {}, DType::kF16));
  expect_as_reference(sample({1, 2, 3, 4}, {2, 3}, {{"mode", std::string("nearest")}}, DType::kU8));
}

TEST(GridSample, Refuses) {
  EXPECT_THAT(refusal_of(sample({1, 2, 3, 4}, {2, 3}, {{"mode", std::string("bilinear")}})),
              HasSubstr("nearest, linear, cubic"));
  EXPECT_THAT(refusal_of(sample({1, 2, 3, 4}, {2, 3}, {}, DType::kU8)),
              HasSubstr("its input is u8"));
  EXPECT_THAT(refusal_of(sample({1, 2, 3, 4, 5}, {2, 3, 3}, {}, DType::kF32, 16)),
              HasSubstr("of rank 4"));
}

OpCase affine(const Ints& theta, Ints size, std::int64_t align, DType dtype = DType::kF32) {
  const auto count = static_cast<std::int64_t>(size.size());
  return make_op("AffineGrid", 20, {{"align_corners", align}},
                 {random_tensor(dtype, theta, -2, 2, 5), Tensor::i64({count}, size)}, {1});
}

TEST(AffineGrid, AsTheReference) {
  expect_as_reference(affine({2, 2, 3}, {2, 3, 5, 6}, 0));
  expect_as_reference(affine({2, 2, 3}, {2, 3, 5, 6}, 1));
  expect_as_reference(affine({2, 3, 4}, {2, 3, 4, 5, 6}, 0));
  expect_as_reference(affine({2, 3, 4}, {2, 3, 1, 5, 6}, 1));
  expect_as_reference(affine({2, 2, 3}, {2, 3, 5, 6}, 0, DType::kF16));
  EXPECT_THAT(refusal_of(affine({2, 2, 4}, {2, 3, 5, 6}, 0)), HasSubstr("[n,2,3] with"));
}

}  // namespace
}  // namespace frit::test

// RoiAlign: means by hand, both modes and mappings, fixed and adaptive samples against the
// reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using Ints = std::vector<std::int64_t>;

OpCase roi(AttributeMap attributes, int opset = 22, DType dtype = DType::kF32) {
  // Whole, inside, beyond every border, upside down, empty, far outside.
  const std::vector<float> boxes = {0, 0, 8, 6, 1.3F, 2.1F, 4.2F, 5.7F, -9, -7, 19, 17,
                                    5, 4, 2, 1, 3,    3,    3,    3,    40, 50, 60, 70};
  Tensor rois = Tensor::f32({6, 4}, boxes);
  if (dtype == DType::kF64) {
    rois = Tensor::of<double>(dtype, {6, 4}, {boxes.begin(), boxes.end()});
  }
  return make_op(
      "RoiAlign", opset, std::move(attributes),
      {random_tensor(dtype, {2, 3, 7, 9}, -2, 2, 1), rois, Tensor::i64({6}, {0, 1, 1, 0, 1, 0})});
}

AttributeMap with(const char* mode, const char* map, std::int64_t ratio, float scale = 1.0F) {
  return {{"mode", std::string(mode)},       {"coordinate_transformation_mode", std::string(map)},
          {"sampling_ratio", ratio},         {"output_height", std::int64_t{3}},
          {"output_width", std::int64_t{2}}, {"spatial_scale", scale}};
}

TEST(RoiAlign, MeanOfAWholeImageByHand) {
  const Tensor x = Tensor::f32({1, 1, 2, 2}, {1, 2, 3, 6});
  const Tensor rois = Tensor::f32({1, 4}, {0, 0, 2, 2});
  // Four samples at the centres of the elements.
  EXPECT_EQ(difference(run_one(make_op("RoiAlign", 16, {{"sampling_ratio", std::int64_t{2}}},
                                       {x, rois, Tensor::i64({1}, {0})})),
                       {3}, 1e-6),
            "");
}

TEST(RoiAlignSlow, EveryModeAsTheReference) {
  for (const char* mode : {"avg", "max"}) {
    for (const char* map : {"half_pixel", "output_half_pixel"}) {
      for (const std::int64_t ratio : {0, 1, 3}) {
        SCOPED_TRACE(std::string(mode) + " " + map + " " + std::to_string(ratio));
        expect_as_reference(roi(with(mode, map, ratio)));
      }
    }
  }
  expect_as_reference(roi(with("avg", "half_pixel", 0, 0.37F)));
  expect_as_reference(roi(with("avg", "half_pixel", 2), 22, DType::kF64));
}

TEST(RoiAlign, OpsetTenHasNoHalfPixel) {
  AttributeMap attributes = with("avg", "output_half_pixel", 2);
  attributes.erase("coordinate_transformation_mode");
  expect_as_reference(roi(attributes, 10));
  const Tensor old = run_one(roi(attributes, 10)), now = run_one(roi(attributes, 16));
  EXPECT_NE(old.data<float>()[0], now.data<float>()[0]);
  EXPECT_THAT(refusal_of(roi(with("min", "half_pixel", 2))), testing::HasSubstr("avg or max"));
}

}  // namespace
}  // namespace frit::test

// Resize and Upsample: every mode against the reference, exact positions, the forms of the opsets,
// and refusals.
#include "ops/resize.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/resize_axis.h"
#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ints = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using Values = std::vector<std::optional<Tensor>>;

Tensor list(const Floats& floats) {
  return Tensor::f32({static_cast<std::int64_t>(floats.size())}, floats);
}
Tensor list_of_ints(const Ints& ints) {
  return Tensor::i64({static_cast<std::int64_t>(ints.size())}, ints);
}

OpCase by_scales(const Tensor& x, const Floats& scales, const AttributeMap& attributes,
                 int opset = 13) {
  return make_op("Resize", opset, attributes, {x, std::nullopt, list(scales)}, {2});
}
OpCase by_sizes(const Tensor& x, const Ints& sizes, const AttributeMap& attributes,
                int opset = 19) {
  return make_op("Resize", opset, attributes, {x, std::nullopt, std::nullopt, list_of_ints(sizes)},
                 {3});
}

std::vector<float> floats(const OpCase& test) {
  const Tensor out = run_one(test);
  return {out.data<float>().begin(), out.data<float>().end()};
}

AttributeMap modes(const std::string& mode, const std::string& coordinates = "half_pixel",
                   const std::string& nearest = "round_prefer_floor") {
  return {
      {"mode", mode}, {"coordinate_transformation_mode", coordinates}, {"nearest_mode", nearest}};
}

const std::vector<std::string> kCoordinates = {"half_pixel",         "half_pixel_symmetric",
                                               "pytorch_half_pixel", "align_corners",
                                               "asymmetric",         "tf_half_pixel_for_nn"};

TEST(Resize, InterpolationOfEveryCoordinateAsTheReference) {
  const Tensor x = random_tensor(DType::kF32, {1, 2, 7, 9}, -1, 1, 1);
  for (const std::string& coordinates : kCoordinates) {
    SCOPED_TRACE(coordinates);
    expect_as_reference(by_scales(x, {1, 1, 2, 0.6f}, modes("linear", coordinates)));
    expect_as_reference(by_scales(x, {1, 1, 0.3f, 1.5f}, modes("cubic", coordinates)));
  }
}

TEST(Resize, EveryRoundingOfEveryCoordinateAsTheReference) {
  const Tensor x = random_tensor(DType::kF32, {2, 7, 9}, -1, 1, 1);
  for (const std::string& coordinates : kCoordinates) {
    for (const std::string rounding :
         {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) {
      SCOPED_TRACE(coordinates + ", " + rounding);
      expect_as_reference(by_scales(x, {1, 2, 0.6f}, modes("nearest", coordinates, rounding)));
    }
  }
  const Tensor line = random_tensor(DType::kF32, {9}, -1, 1, 1);
  for (const float scale : {3.0f, 8.0f, 0.5f, 0.3f}) {
    SCOPED_TRACE(scale);
    expect_as_reference(by_scales(line, {scale}, modes("nearest")));
  }
}

TEST(Resize, BySizesAsTheReference) {
  const Tensor x = random_tensor(DType::kF32, {2, 3, 5, 8}, -1, 1, 1);
  for (const std::string mode : {"nearest", "linear", "cubic"}) {
    for (const Ints& sizes : {Ints{2, 3, 10, 7}, {2, 3, 1, 31}, {2, 3, 5, 1}, {2, 3, 5, 8}}) {
      SCOPED_TRACE(fmt::format("{} {}", mode, dims_text(sizes)));
      expect_as_reference(by_sizes(x, sizes, modes(mode)));
      expect_as_reference(by_sizes(x, sizes, modes(mode, "align_corners")));
    }
  }
}

TEST(Resize, BatchAndChannelsToo) {
  const Tensor x = random_tensor(DType::kF32, {2, 3, 4, 5}, -1, 1, 1);
  expect_as_reference(by_sizes(x, {3, 2, 8, 7}, modes("nearest")));
  expect_as_reference(by_sizes(x, {3, 2, 8, 7}, modes("linear")));
  const Tensor line = random_tensor(DType::kF32, {9}, -1, 1, 1);
  expect_as_reference(by_sizes(line, {31}, modes("cubic")));
}

TEST(Resize, Transposed) {
  const Tensor x = random_tensor(DType::kF32, {1, 3, 5, 8}, -1, 1, 1);
  expect_as_reference_transposed(by_scales(x, {1, 1, 2, 2}, modes("linear")));
  expect_as_reference_transposed(by_scales(x, {1, 1, 2, 2}, modes("nearest")));
}

TEST(Resize, ExcludeOutsideAndCoefficientAsTheReference) {
  const Tensor x = random_tensor(DType::kF32, {1, 1, 4, 5}, -1, 1, 1);
  AttributeMap attributes = modes("cubic", "asymmetric");
  attributes["exclude_outside"] = std::int64_t{1};
  attributes["cubic_coeff_a"] = -0.5f;
  expect_as_reference(by_scales(x, {1, 1, 2, 0.8f}, attributes));
  attributes["mode"] = std::string("linear");
  expect_as_reference(by_scales(x, {1, 1, 2, 0.8f}, attributes));
}

TEST(Resize, CropExtrapolates) {
  const Tensor x = random_tensor(DType::kF32, {1, 1, 4, 4}, -1, 1, 1);
  const Tensor roi = list({0, 0, 0.4f, -0.5f, 1, 1, 0.6f, 1.5f});
  for (const std::string mode : {"nearest", "linear", "cubic"}) {
    SCOPED_TRACE(mode);
    AttributeMap attributes = modes(mode, "tf_crop_and_resize");
    attributes["extrapolation_value"] = 10.0f;
    const OpCase test = make_op("Resize", 13, attributes,
                                {x, roi, std::nullopt, list_of_ints({1, 1, 3, 8})}, {1, 3});
    expect_as_reference(test);
    EXPECT_EQ(floats(test)[0], 10.0f);
    EXPECT_NE(floats(test)[3], 10.0f);
  }
}

TEST(Resize, OtherTypes) {
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF64}) {
    SCOPED_TRACE(name_of(dtype));
    const Tensor x = random_tensor(dtype, {1, 2, 4, 5}, -1, 1, 1);
    expect_as_reference(by_scales(x, {1, 1, 2, 1.3f}, modes("linear")));
    expect_as_reference(by_scales(x, {1, 1, 2, 1.3f}, modes("nearest")));
  }
  for (const DType dtype : {DType::kU8, DType::kI64, DType::kBool}) {
    SCOPED_TRACE(name_of(dtype));
    expect_as_reference(
        by_scales(random_tensor(dtype, {1, 2, 4, 5}, 0, 9, 1), {1, 1, 2, 1.3f}, modes("nearest")));
  }
}

TEST(Resize, EmptyExtents) {
  expect_as_reference(
      by_scales(random_tensor(DType::kF32, {0, 2, 4, 5}, -1, 1, 1), {1, 1, 2, 2}, modes("linear")));
  expect_as_reference(by_scales(random_tensor(DType::kF32, {1, 2, 4, 5}, -1, 1, 1), {1, 1, 0.1f, 2},
                                modes("nearest")));
}

TEST(Resize, LinearHalvesAndQuartersAtHalfPixels) {
  const Tensor x = Tensor::f32({1, 1, 1, 3}, {0, 4, 8});
  EXPECT_THAT(floats(by_scales(x, {1, 1, 1, 2}, modes("linear"))), ElementsAre(0, 1, 3, 5, 7, 8));
  EXPECT_THAT(floats(by_scales(x, {1, 1, 1, 2}, modes("linear", "asymmetric"))),
              ElementsAre(0, 2, 4, 6, 8, 8));
  EXPECT_THAT(floats(by_sizes(x, {1, 1, 1, 5}, modes("linear", "align_corners"))),
              ElementsAre(0, 2, 4, 6, 8));
}

TEST(Resize, AScaleOfAThirdTakesEveryThird) {
  // 1/3 in float32 is a little more than a third: in double, position 3 of the result would
  // be 8.99.
  const Tensor x = Tensor::f32({1, 1, 1, 12}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  EXPECT_THAT(floats(by_scales(x, {1, 1, 1, 1.0f / 3.0f}, modes("nearest", "asymmetric", "floor"))),
              ElementsAre(0, 3, 6, 9));
}

TEST(Resize, NearestOfWholeScalesIsIndexArithmetic) {
  const auto line = [](std::int64_t in, float scale, const std::string& coordinates,
                       const std::string& rounding) {
    const Tensor x = random_tensor(DType::kF32, {1, 1, 1, in}, -1, 1, 1);
    const OpCase test = by_scales(x, {1, 1, 1, scale}, modes("nearest", coordinates, rounding));
    return resize_line(resize_spec_of(test.op).value(), 3);
  };
  for (const float scale : {2.0f, 4.0f, 8.0f}) {
    const auto up = line(5, scale, "asymmetric", "floor");
    ASSERT_TRUE(up.has_value());
    EXPECT_EQ(up->period, static_cast<std::int64_t>(scale));
    EXPECT_EQ(up->shift, 0);
    EXPECT_EQ(up->step, 1);
    EXPECT_FALSE(up->below || up->above);
    ASSERT_TRUE(line(5, scale, "half_pixel", "round_prefer_floor").has_value());
  }
  const auto up = line(5, 2.0f, "asymmetric", "ceil");
  ASSERT_TRUE(up.has_value());
  EXPECT_EQ(up->shift, 1);
  EXPECT_TRUE(up->above);
  const auto down = line(12, 0.5f, "asymmetric", "floor");
  ASSERT_TRUE(down.has_value());
  EXPECT_EQ(down->step, 2);
  EXPECT_EQ(down->period, 1);
  EXPECT_FALSE(line(6, 1.5f, "asymmetric", "floor").has_value());  // 0 0 1 2 2 3: two steps
}

TEST(Resize, StagesOfInterpolationAreMeantForInlining) {
  // Stored by the default schedule, a whole axis would be made for each element: see resize.cpp.
  const OpCase test =
      by_scales(random_tensor(DType::kF32, {1, 1, 4, 5}, -1, 1, 1), {1, 1, 2, 2}, modes("cubic"));
  OpInstance op = test.op;
  const Operator* rule = find_operator("", "Resize");
  op.outputs = rule->infer(op).value();
  ASSERT_TRUE(rule->canonicalise(op).has_value());
  std::vector<Operand> operands = {operand_of(*test.values[0])};
  for (std::size_t i = 1; i < op.inputs.size(); ++i)
    operands.push_back(operand_of(*op.constant(i)));
  std::vector<Halide::Var> axes = {Halide::Var("n"), Halide::Var("c"), Halide::Var("y"),
                                   Halide::Var("x")};
  StageBuilder stages(axes, {3, 2, 1, 0}, op.outputs[0].dims(), "epi_0", "");
  rule->build(op, operands, stages);
  ASSERT_EQ(stages.stages().size(), 2U);
  EXPECT_EQ(stages.stages()[0]->role, "epi_0_along_y");
  EXPECT_EQ(stages.stages()[0]->op_cost, 1);
}

TEST(Resize, EarlyOpsetsMapOriginToOrigin) {
  const Tensor x = Tensor::f32({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const OpCase ten = make_op("Resize", 10, {}, {x, list({1, 1, 0.6f, 0.6f})}, {1});
  EXPECT_THAT(floats(ten), ElementsAre(1, 3));
  expect_as_reference(ten);
  const OpCase nine = make_op("Upsample", 9, {}, {x, list({1, 1, 1, 2})}, {1});
  EXPECT_THAT(floats(nine), ElementsAre(1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8));
  expect_as_reference(nine);
  const OpCase seven = make_op(
      "Upsample", 7, {{"scales", Floats{1, 1, 1, 2}}, {"mode", std::string("linear")}}, {x});
  EXPECT_THAT(floats(seven),
              ElementsAre(1, 1.5, 2, 2.5, 3, 3.5, 4, 4, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8));
  expect_as_reference(seven);
}

TEST(Resize, AxesAndAspectRatio) {
  const Tensor x = random_tensor(DType::kF32, {1, 2, 2, 4}, -1, 1, 1);
  AttributeMap attributes = modes("nearest");
  attributes["axes"] = Ints{3, -2};
  const auto dims = [&](const Ints& sizes) {
    const OpCase test = by_sizes(x, sizes, attributes);
    expect_as_reference(test);
    return run_one(test).dims();
  };
  EXPECT_THAT(dims({8, 6}), ElementsAre(1, 2, 6, 8));
  attributes["keep_aspect_ratio_policy"] = std::string("not_larger");
  EXPECT_THAT(dims({8, 6}), ElementsAre(1, 2, 4, 8));
  attributes["keep_aspect_ratio_policy"] = std::string("not_smaller");
  EXPECT_THAT(dims({8, 6}), ElementsAre(1, 2, 6, 12));
  attributes = modes("cubic");
  attributes["axes"] = Ints{2};
  expect_as_reference(by_scales(x, {2.5f}, attributes, 18));
}

TEST(Resize, Refusals) {
  const Tensor x = random_tensor(DType::kF32, {1, 1, 4, 4}, -1, 1, 1);
  EXPECT_EQ(
      refusal_of(make_op("Resize", 13, {}, {x})),
      "Resize 'node': neither scales and sizes is given but exactly one of them says how large "
      "its output is; correct the model [onnx-attribute]");
  EXPECT_EQ(refusal_of(make_op("Resize", 13, {}, {x, std::nullopt, list({1, 1, 2, 2})})),
            "Resize 'node': input 2 (scales) is computed at run time but must be known when "
            "building; pin it with --const or make it an initializer [onnx-not-constant]");
  EXPECT_EQ(
      refusal_of(by_scales(x, {1, 2}, {})),
      "Resize 'node': scales has 2 values but 4 are needed for its input f32[1,1,4,4]; correct "
      "the model or pass --shape [onnx-shape]");
  EXPECT_EQ(refusal_of(by_scales(x, {1, 1, 0, 2}, {})),
            "Resize 'node': its scale of axis 2 is 0 but must be positive and give at most "
            "1073741824 elements; correct the scales [onnx-attribute]");
  EXPECT_THAT(refusal_of(by_scales(x, {1, 1, 2, 2}, modes("bicubic"))),
              HasSubstr("mode is \"bicubic\" but must be one of nearest, linear, cubic"));
  EXPECT_THAT(refusal_of(by_scales(x, {1, 1, 2, 2}, modes("linear", "tf_crop_and_resize"))),
              HasSubstr("is tf_crop_and_resize but roi is not given"));
  EXPECT_THAT(refusal_of(by_scales(random_tensor(DType::kU8, {1, 1, 4, 4}, 0, 9, 1), {1, 1, 2, 2},
                                   modes("linear"))),
              HasSubstr("its input, which it interpolates, is u8"));
  EXPECT_THAT(refusal_of(by_scales(x, {1, 1, 1e9f, 1}, {})), HasSubstr("[onnx-"));
  EXPECT_THAT(refusal_of(by_sizes(x, {1, 1, 1 << 25, 1}, {})), HasSubstr("4194304 are the most"));
}

TEST(Resize, AntialiasOfAQuarterByHand) {
  AttributeMap smooth = modes("linear");
  smooth["antialias"] = std::int64_t{1};
  // Triangles of 8 elements around 1.5 and 5.5: 1 3 5 7 | 7 5 3 1, the ends repeated.
  const Tensor x = Tensor::f32({8}, {0, 0, 0, 32, 0, 0, 0, 0});
  EXPECT_THAT(floats(by_scales(x, {0.25F}, smooth, 18)), ElementsAre(5, 3));
}

TEST(Resize, AntialiasAsTheReference) {
  const Tensor x = random_tensor(DType::kF32, {1, 2, 9, 31}, -3, 3, 5);
  for (const char* mode : {"linear", "cubic"}) {
    for (const std::int64_t exclude : {0, 1}) {
      AttributeMap smooth = modes(mode);
      smooth["antialias"] = std::int64_t{1};
      smooth["exclude_outside"] = exclude;
      SCOPED_TRACE(std::string(mode) + std::to_string(exclude));
      expect_as_reference(by_scales(x, {1, 1, 0.6F, 0.5F}, smooth, 18));
      expect_as_reference(by_scales(x, {1, 1, 2, 0.1F}, smooth, 18));
      expect_as_reference(by_sizes(x, {1, 2, 4, 5}, smooth, 18));
    }
  }
}

}  // namespace
}  // namespace frit::test

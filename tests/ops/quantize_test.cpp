#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using Ints = std::vector<std::int64_t>;

Tensor u8(std::vector<std::int64_t> dims, const std::vector<std::uint8_t>& values) {
  return Tensor::of(DType::kU8, std::move(dims), values);
}
Tensor scalar(float value) { return Tensor::f32({}, {value}); }

TEST(QuantizeLinear, RoundsHalfToEvenThenAddsTheZeroPoint) {
  const Tensor x = Tensor::f32({7}, {0, 1, 3, 5, -1, 1000, -1000});
  const Tensor y = run_one(make_op("QuantizeLinear", 13, {}, {x, scalar(2), u8({}, {101})}));
  EXPECT_EQ(y.dtype(), DType::kU8);
  // 0, 0.5, 1.5, 2.5, -0.5 round to 0, 0, 2, 2, 0
  EXPECT_EQ(y.to_ints(), (Ints{101, 101, 103, 103, 101, 255, 0}));
}

TEST(QuantizeLinear, DividesExactlyWhateverTheScale) {
  // 7 * float(1/7) would differ from 7 / 7.0f in the last place at ties
  std::vector<float> values;
  for (int i = -60; i < 60; ++i) values.push_back(0.15F * (static_cast<float>(i) + 0.5F));
  const Tensor x = Tensor::f32({120}, values);
  expect_as_reference(make_op("QuantizeLinear", 13, {}, {x, scalar(0.15F), u8({}, {128})}, {1, 2}));
}

TEST(QuantizeLinear, ByAxisAndByBlock) {
  const Tensor x = Tensor::f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run_one(make_op("QuantizeLinear", 13, {{"axis", std::int64_t{0}}},
                            {x, Tensor::f32({2}, {1, 2}), u8({2}, {0, 10})}))
                .to_ints(),
            (Ints{1, 2, 3, 12, 12, 13}));
  const AttributeMap blocks = {{"axis", std::int64_t{1}},
                               {"block_size", std::int64_t{2}},
                               {"output_dtype", onnx_number(DType::kI16)}};
  EXPECT_EQ(run_one(make_op("QuantizeLinear", 21, blocks, {x, Tensor::f32({2, 2}, {1, 3, 2, 4})}))
                .to_ints(),
            (Ints{1, 2, 1, 2, 2, 2}));
}

TEST(QuantizeLinearSlow, AsTheReferenceInEveryType) {
  for (const DType dtype :
       {DType::kU8, DType::kI8, DType::kU16, DType::kI16, DType::kU4, DType::kI4, DType::kU2,
        DType::kI2, DType::kF8E4M3FN, DType::kF8E4M3FNUZ, DType::kF8E5M2, DType::kF8E5M2FNUZ,
        DType::kF4E2M1, DType::kF6E2M3, DType::kF6E3M2}) {
    SCOPED_TRACE(name_of(dtype));
    const AttributeMap to = {{"output_dtype", onnx_number(dtype)}, {"axis", std::int64_t{-1}}};
    for (const DType from : {DType::kF32, DType::kF16, DType::kBF16}) {
      const Tensor x = random_tensor(from, {3, 17}, -40, 40, 1);
      const Tensor scale = random_tensor(from, {17}, 0.1, 5, 2);
      expect_as_reference(make_op("QuantizeLinear", 28, to, {x, scale}));
    }
    const Tensor codes = random_tensor(dtype, {5, 7}, 0, 1.9, 3);
    expect_as_reference(make_op("DequantizeLinear", 28, {}, {codes, scalar(0.3F)}));
  }
}

TEST(DequantizeLinear, SubtractsTheZeroPointOfItsBlock) {
  const Tensor x = u8({1, 5}, {3, 89, 34, 200, 74});
  const AttributeMap blocks = {{"axis", std::int64_t{1}}, {"block_size", std::int64_t{2}}};
  const Tensor y = run_one(make_op("DequantizeLinear", 21, blocks,
                                   {x, Tensor::f32({1, 3}, {3, 2, 4}), u8({1, 3}, {1, 0, 2})}));
  EXPECT_EQ(difference(y, {6, 264, 68, 400, 288}, 0), "");
}

TEST(QuantizeLinear, RefusesShapesAndTypesThatDisagree) {
  const Tensor x = Tensor::f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_NE(refusal_of(make_op("QuantizeLinear", 13, {}, {x, Tensor::f32({2}, {1, 2})})), "");
  EXPECT_NE(refusal_of(make_op("QuantizeLinear", 13, {{"axis", std::int64_t{2}}},
                               {x, Tensor::f32({3}, {1, 2, 3})})),
            "");
  EXPECT_NE(refusal_of(make_op("QuantizeLinear", 21, {{"output_dtype", std::int64_t{3}}},
                               {x, scalar(1), u8({}, {0})})),
            "");
  EXPECT_NE(refusal_of(
                make_op("QuantizeLinear", 21, {{"output_dtype", std::int64_t{7}}}, {x, scalar(1)})),
            "");
}

TEST(DynamicQuantizeLinear, HasZeroInItsRange) {
  const Tensor x = Tensor::f32({6}, {0, 2, -3, -2.5F, 1.34F, 0.5F});
  const auto y = run_op(make_op("DynamicQuantizeLinear", 11, {}, {x}));
  ASSERT_TRUE(y.has_value());
  EXPECT_EQ((*y)[0].to_ints(), (Ints{153, 255, 0, 26, 221, 179}));
  EXPECT_NEAR((*y)[1].to_doubles()[0], 0.0196078438, 1e-9);
  EXPECT_EQ((*y)[2].to_ints(), (Ints{153}));
  const auto flat = run_op(make_op("DynamicQuantizeLinear", 11, {}, {Tensor::f32({2}, {0, 0})}));
  EXPECT_EQ((*flat)[0].to_ints(), (Ints{0, 0}));
  EXPECT_EQ((*flat)[1].to_doubles(), (std::vector<double>{1}));
}

TEST(MatMulInteger, CentresOnZeroPoints) {
  const Tensor a = u8({4, 3}, {11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0});
  const Tensor b = u8({3, 2}, {1, 4, 2, 5, 3, 6});
  const Tensor y = run_one(make_op("MatMulInteger", 10, {}, {a, b, u8({}, {12}), u8({}, {0})}));
  EXPECT_EQ(y.to_ints(), (Ints{-38, -83, -44, -98, -50, -113, -56, -128}));
  expect_as_reference(
      make_op("MatMulInteger", 10, {}, {a, b, u8({4}, {12, 3, 0, 255}), u8({2}, {7, 0})}));
}

TEST(ConvInteger, PadsWithTheZeroPoint) {
  const Tensor x = u8({1, 1, 3, 3}, {2, 3, 4, 5, 6, 7, 8, 9, 10});
  const Tensor w = u8({1, 1, 2, 2}, {1, 1, 1, 1});
  const Tensor y = run_one(
      make_op("ConvInteger", 10, {{"pads", Ints{1, 1, 1, 1}}}, {x, w, u8({}, {1}), std::nullopt}));
  EXPECT_EQ(y.to_ints(), (Ints{1, 3, 5, 3, 5, 12, 16, 9, 11, 24, 28, 15, 7, 15, 17, 9}));
}

TEST(QLinearMatMul, RoundsTheProductBeforeTheZeroPoint) {
  const Tensor a = u8({1, 1}, {1}), b = u8({1, 1}, {1});
  const Tensor one = u8({}, {1}), none = u8({}, {0});
  // 0.5 rounds to 0 and 0 + 1 is 1; rounding 1.5 would give 2
  EXPECT_EQ(run_one(make_op("QLinearMatMul", 10, {},
                            {a, scalar(0.5F), none, b, scalar(1), none, scalar(1), one}))
                .to_ints(),
            (Ints{1}));
}

TEST(QLinearMatMul, AsTheReferenceByRowsAndColumns) {
  for (const DType dtype : {DType::kU8, DType::kI8}) {
    const double low = dtype == DType::kU8 ? 0 : -120;
    const Tensor a = random_tensor(dtype, {2, 5, 9}, low, 120, 1);
    const Tensor b = random_tensor(dtype, {9, 7}, low, 120, 2);
    const Tensor zero = random_tensor(dtype, {}, 3, 4, 3);
    expect_as_reference(make_op(
        "QLinearMatMul", 10, {},
        {a, random_tensor(DType::kF32, {5}, 0.01, 0.1, 4), random_tensor(dtype, {5}, 0, 9, 5), b,
         random_tensor(DType::kF32, {7}, 0.01, 0.1, 6), random_tensor(dtype, {7}, 0, 9, 7),
         scalar(0.7F), zero}));
  }
}

TEST(QLinearConv, AsTheReference) {
  const Tensor x = random_tensor(DType::kU8, {2, 4, 7, 5}, 0, 255, 1);
  const Tensor w = random_tensor(DType::kI8, {6, 2, 3, 3}, -128, 127, 2);
  const Tensor bias = random_tensor(DType::kI32, {6}, -1000, 1000, 3);
  const AttributeMap attributes = {{"group", std::int64_t{2}}, {"pads", Ints{1, 1, 1, 1}}};
  expect_as_reference(
      make_op("QLinearConv", 10, attributes,
              {x, scalar(0.02F), u8({}, {117}), w, random_tensor(DType::kF32, {6}, 0.001, 0.01, 4),
               random_tensor(DType::kI8, {6}, -5, 5, 5), scalar(0.05F), u8({}, {128}), bias}));
}

TEST(QLinear, OfMicrosoft) {
  const Tensor a = u8({2, 3}, {1, 2, 3, 4, 5, 6}), b = u8({3}, {10, 20, 30});
  OpCase add = make_op(
      "QLinearAdd", 1, {},
      {a, scalar(0.5F), u8({}, {1}), b, scalar(0.25F), u8({}, {10}), scalar(0.5F), u8({}, {2})});
  add.op.domain = "com.microsoft";
  // (0, .5, 1, 1.5, 2, 2.5) + (0, 2.5, 5), over 0.5, + 2
  EXPECT_EQ(run_one(add).to_ints(), (Ints{2, 8, 14, 5, 11, 17}));
  OpCase leaky = make_op("QLinearLeakyRelu", 1, {{"alpha", 0.5F}},
                         {a, scalar(1), u8({}, {5}), scalar(0.5F), u8({}, {8})});
  leaky.op.domain = "com.microsoft";
  EXPECT_EQ(run_one(leaky).to_ints(), (Ints{4, 5, 6, 7, 8, 10}));
  OpCase concat =
      make_op("QLinearConcat", 1, {{"axis", std::int64_t{0}}},
              {scalar(1), u8({}, {0}), b, scalar(1), u8({}, {10}), b, scalar(2), u8({}, {10})});
  concat.op.domain = "com.microsoft";
  EXPECT_EQ(run_one(concat).to_ints(), (Ints{0, 10, 20, 0, 20, 40}));
}

TEST(QLinear, SoftmaxOfBothKindsOfOpset) {
  const auto softmax = [&](std::int64_t axis, std::int64_t opset, const Tensor& x) {
    OpCase test = make_op("QLinearSoftmax", 1, {{"axis", axis}, {"opset", opset}},
                          {x, scalar(1), u8({}, {7}), scalar(1.0F / 256), u8({}, {0})});
    test.op.domain = "com.microsoft";
    return test;
  };
  const Tensor equal = u8({2, 2, 2}, {3, 3, 3, 3, 3, 3, 3, 3});
  EXPECT_EQ(run_one(softmax(1, 13, equal)).to_ints(), Ints(8, 128));
  EXPECT_EQ(run_one(softmax(1, 12, equal)).to_ints(), Ints(8, 64));
  const Tensor x = random_tensor(DType::kU8, {3, 5, 17}, 0, 12, 1);
  for (const std::int64_t opset : {9, 13}) {
    for (const std::int64_t axis : {-1, 0, 1}) expect_as_reference(softmax(axis, opset, x));
    expect_as_reference(softmax(1, opset, random_tensor(DType::kU8, {2, 3, 0}, 0, 12, 1)));
  }
}

}  // namespace
}  // namespace frit::test

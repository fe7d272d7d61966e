#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

OpCase microsoft(const char* type, AttributeMap attributes,
                 std::vector<std::optional<Tensor>> values, std::size_t outputs = 1) {
  OpCase test = make_op(type, 1, std::move(attributes), std::move(values));
  test.op.domain = "com.microsoft";
  test.op.outputs.resize(outputs);
  return test;
}

Tensor random(std::vector<std::int64_t> dims, unsigned seed) {
  return random_tensor(DType::kF32, std::move(dims), -3, 3, seed);
}

TEST(Hardmax, MarksTheFirstLargest) {
  const Tensor x = Tensor::f32({2, 2, 2}, {1, 3, 3, 2, kNaN, 5, 5, 5});
  const auto marks = [&](int opset, AttributeMap attributes) {
    return run_one(make_op("Hardmax", opset, std::move(attributes), {x})).to_doubles();
  };
  using Doubles = std::vector<double>;
  EXPECT_EQ(marks(13, {}), (Doubles{0, 1, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(marks(13, {{"axis", std::int64_t{1}}}), (Doubles{0, 1, 1, 0, 1, 1, 0, 0}));
  EXPECT_EQ(marks(11, {}), (Doubles{0, 1, 0, 0, 1, 0, 0, 0}));
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16}) {
    for (const int opset : {11, 13}) {
      expect_as_reference(make_op("Hardmax", opset, {{"axis", std::int64_t{1}}},
                                  {random_tensor(dtype, {3, 17, 5}, -1, 1, 1)}));
    }
  }
}

TEST(Contrib, SkipLayerNormalizationGivesTheSumToo) {
  const OpCase test = microsoft("SkipLayerNormalization", {{"epsilon", 0.0F}},
                                {Tensor::f32({1, 1, 2}, {1, 2}), Tensor::f32({1, 1, 2}, {0, 3}),
                                 Tensor::f32({2}, {1, 10}), std::nullopt, Tensor::f32({2}, {1, 1})},
                                4);
  const auto all = run_op(test);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(difference(all->at(0), {-1, 10}, 1e-6), "");
  EXPECT_EQ(difference(all->at(1), {4}, 1e-6), "");
  EXPECT_EQ(difference(all->at(2), {0.5}, 1e-6), "");
  EXPECT_EQ(difference(all->at(3), {2, 6}, 1e-6), "");
}

TEST(Contrib, BiasSplitGeluGatesByTheFirstHalf) {
  const Tensor y = run_one(
      microsoft("BiasSplitGelu", {}, {Tensor::f32({1, 1, 2}, {3, 0}), Tensor::f32({2}, {1, 1})}));
  EXPECT_EQ(difference(y, {4 * 0.5 * (1 + std::erf(std::sqrt(0.5)))}, 1e-6), "");
}

TEST(Contrib, ABiasOfAnotherSizeIsRefused) {
  const std::string text =
      refusal_of(microsoft("BiasGelu", {}, {random({2, 3}, 1), random({2}, 2)}));
  EXPECT_NE(text.find("bias is f32[2]"), std::string::npos) << text;
}

TEST(Contrib, AsTheReference) {
  const Tensor x = random({2, 5, 34}, 1), wide = random({34}, 2);
  expect_as_reference(microsoft("BiasGelu", {}, {x, wide}));
  expect_as_reference(microsoft("BiasSplitGelu", {}, {x, wide}));
  expect_as_reference(microsoft("FastGelu", {}, {x}));
  expect_as_reference(microsoft("FastGelu", {}, {x, wide}));
  expect_as_reference(microsoft("Gelu", {}, {x}));
  expect_as_reference(microsoft("LayerNormalization", {}, {x, wide}));
  expect_as_reference(microsoft("SimplifiedLayerNormalization", {}, {x, wide}));
  expect_as_reference(make_op("SimplifiedLayerNormalization", 17, {}, {x, wide}));
  for (const std::size_t outputs : {1U, 4U}) {
    expect_as_reference(microsoft("SkipLayerNormalization", {},
                                  {x, random({1, 5, 34}, 3), wide, random({34}, 4), wide},
                                  outputs));
    expect_as_reference(microsoft("SkipSimplifiedLayerNormalization", {},
                                  {x, random({2, 5, 34}, 3), wide}, outputs));
  }
  expect_as_reference(microsoft("FusedMatMul", {{"alpha", 0.5F}, {"transA", std::int64_t{1}}},
                                {random({3, 7, 5}, 1), random({3, 7, 9}, 2)}));
  expect_as_reference(microsoft("FusedMatMul", {{"transB", std::int64_t{1}}},
                                {random({5, 7}, 1), random({9, 7}, 2)}));
}

}  // namespace
}  // namespace frit::test

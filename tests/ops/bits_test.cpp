#include <gtest/gtest.h>

#include <limits>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using Ints = std::vector<std::int64_t>;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Tensor i8(const std::vector<std::int8_t>& values) {
  return Tensor::of(DType::kI8, {static_cast<std::int64_t>(values.size())}, values);
}
AttributeMap direction(const char* name) { return {{"direction", std::string(name)}}; }

TEST(BitShift, OutsideTheWidthOnlyTheSignStays) {
  const Tensor x = i8({-16, 100, -16, 100, -1}), y = i8({2, 2, 8, -1, 7});
  EXPECT_EQ(run_one(make_op("BitShift", 28, direction("RIGHT"), {x, y})).to_ints(),
            (Ints{-4, 25, -1, 0, -1}));
  EXPECT_EQ(run_one(make_op("BitShift", 28, direction("LEFT"), {x, y})).to_ints(),
            (Ints{-64, -112, 0, 0, -128}));
  EXPECT_NE(refusal_of(make_op("BitShift", 28, direction("UP"), {x, y})), "");
}

TEST(Bitwise, OnWholeNumbers) {
  const Tensor x = i8({12, -1, 5}), y = i8({10, 3, -6});
  EXPECT_EQ(run_one(make_op("BitwiseAnd", 18, {}, {x, y})).to_ints(), (Ints{8, 3, 0}));
  EXPECT_EQ(run_one(make_op("BitwiseOr", 18, {}, {x, y})).to_ints(), (Ints{14, -1, -1}));
  EXPECT_EQ(run_one(make_op("BitwiseXor", 18, {}, {x, y})).to_ints(), (Ints{6, -4, -1}));
  EXPECT_EQ(run_one(make_op("BitwiseNot", 18, {}, {x})).to_ints(), (Ints{-13, 0, -6}));
}

TEST(Mod, OfIntegersHasTheSignOfTheDivisorOrOfTheDividend) {
  const Tensor x = i8({-4, 7, 5, 4, -7, 8, -128}), y = i8({2, -3, 8, -2, 3, 5, -1});
  EXPECT_EQ(run_one(make_op("Mod", 13, {}, {x, y})).to_ints(), (Ints{0, -2, 5, 0, 2, 3, 0}));
  EXPECT_EQ(run_one(make_op("Mod", 13, {{"fmod", std::int64_t{1}}}, {x, y})).to_ints(),
            (Ints{0, 1, 5, 0, -1, 3, 0}));
}

TEST(Mod, OfFloatsAtTheEdges) {
  const Tensor x = Tensor::f32({8}, {-4.3F, 7.2F, 0, -0.0F, kInf, 3, -3, 1}),
               y = Tensor::f32({8}, {2.1F, -3.4F, -2, 2, 2, -kInf, kInf, 0});
  const Tensor floor = run_one(make_op("Mod", 28, {}, {x, y}));
  EXPECT_EQ(difference(floor, {2.0, -3.0, -0.0, 0, kNaN, -kInf, kInf, kNaN}, 1e-5), "");
  EXPECT_TRUE(std::signbit(floor.to_doubles()[2]));
  EXPECT_FALSE(std::signbit(floor.to_doubles()[3]));
  EXPECT_EQ(difference(run_one(make_op("Mod", 28, {{"fmod", std::int64_t{1}}}, {x, y})),
                       {-0.1, 0.4, 0, 0, kNaN, 3, -3, kNaN}, 1e-4, 1e-6),
            "");
}

TEST(Bits, AsTheReference) {
  for (const DType dtype : {DType::kU8, DType::kI8, DType::kU16, DType::kI32, DType::kU64}) {
    SCOPED_TRACE(name_of(dtype));
    const double low = dtype == DType::kU8 || dtype == DType::kU16 || dtype == DType::kU64 ? 1 : -9;
    const Tensor x = random_tensor(dtype, {3, 17}, low, 100, 1);
    const Tensor y = random_tensor(dtype, {17}, 1, 12, 2);
    for (const char* type : {"BitwiseAnd", "BitwiseOr", "BitwiseXor", "Mod"}) {
      expect_as_reference(make_op(type, 28, {}, {x, y}));
    }
    expect_as_reference(make_op("BitwiseNot", 28, {}, {x}));
    for (const char* way : {"LEFT", "RIGHT"}) {
      expect_as_reference(make_op("BitShift", 28, direction(way), {x, y}));
    }
  }
  for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) {
    SCOPED_TRACE(name_of(dtype));
    const Tensor x = random_tensor(dtype, {5, 7}, -50, 50, 3);
    const Tensor y = random_tensor(dtype, {5, 1}, -5, 5, 4);
    for (const std::int64_t way : {0, 1}) {
      expect_as_reference(make_op("Mod", 28, {{"fmod", way}}, {x, y}));
    }
  }
}

}  // namespace
}  // namespace frit::test

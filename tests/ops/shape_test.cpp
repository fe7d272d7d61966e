// Shape, Size, Constant, ConstantOfShape, Range: types from shapes and constants, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/op_harness.h"

namespace frit::test {
namespace {

using Ints = std::vector<std::int64_t>;

std::string inferred(const OpCase& test) {
  const auto types = find_operator("", test.op.type)->infer(test.op);
  return types ? to_text(types->at(0)) : types.error().message;
}

Tensor in() { return random_tensor(DType::kF32, {2, 3, 4}, 0, 1, 1); }

TEST(Shape, TakesAPartOfTheShape) {
  const auto shape = [](std::int64_t start, std::int64_t end) {
    return inferred(make_op("Shape", 15, {{"start", start}, {"end", end}}, {in()}));
  };
  EXPECT_EQ(inferred(make_op("Shape", 13, {}, {in()})), "i64[3]");
  EXPECT_EQ(shape(1, 3), "i64[2]");
  EXPECT_EQ(shape(-1, 9), "i64[1]");
  EXPECT_EQ(shape(2, 1), "i64[0]");
  EXPECT_EQ(shape(std::numeric_limits<std::int64_t>::min(), -1), "i64[2]");
  EXPECT_EQ(inferred(make_op("Size", 13, {}, {in()})), "i64[]");
}

TEST(Constant, TypesOfEveryForm) {
  const auto constant = [](const char* name, Attribute value) {
    return inferred(make_op("Constant", 13, {{name, std::move(value)}}, {}));
  };
  EXPECT_EQ(constant("value", Tensor::i64({2}, {1, 2})), "i64[2]");
  EXPECT_EQ(constant("value_int", std::int64_t{1}), "i64[]");
  EXPECT_EQ(constant("value_ints", Ints{1, 2, 3}), "i64[3]");
  EXPECT_EQ(constant("value_float", 1.0F), "f32[]");
  EXPECT_EQ(constant("value_floats", std::vector<float>{1, 2}), "f32[2]");
  EXPECT_EQ(constant("value_string", std::string("a")),
            "Constant 'node': it needs one of value, value_int, value_ints, value_float, "
            "value_floats but has none; strings and sparse tensors are not supported");
}

TEST(ConstantOfShape, TakesItsTypeFromTheValue) {
  const Tensor shape = Tensor::i64({2}, {3, 0});
  EXPECT_EQ(inferred(make_op("ConstantOfShape", 9, {}, {shape}, {0})), "f32[3,0]");
  EXPECT_EQ(
      inferred(make_op("ConstantOfShape", 9, {{"value", Tensor::i64({1}, {7})}}, {shape}, {0})),
      "i64[3,0]");
  const Tensor huge = Tensor::i64({2}, {1LL << 40, 1LL << 40});
  EXPECT_EQ(
      inferred(make_op("ConstantOfShape", 9, {}, {huge}, {0})),
      "ConstantOfShape 'node': its output would be [1099511627776,1099511627776] but a tensor "
      "may hold at most 2147483647 elements; check the attributes or pass a smaller --shape");
}

TEST(Range, CountsItsElements) {
  const auto range = [](float start, float limit, float delta) {
    const auto number = [](float value) { return Tensor::f32({}, {value}); };
    return inferred(
        make_op("Range", 11, {}, {number(start), number(limit), number(delta)}, {0, 1, 2}));
  };
  EXPECT_EQ(range(1, 8, 3), "f32[3]");
  EXPECT_EQ(range(5, 1, -2), "f32[2]");
  EXPECT_EQ(range(5, 1, 2), "f32[0]");
  EXPECT_EQ(range(0, 1, 0),
            "Range 'node': from 0 to 1 by 0 has no end, or more than 1073741824 elements; correct "
            "the model");
}

}  // namespace
}  // namespace frit::test

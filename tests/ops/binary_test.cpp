#include <gtest/gtest.h>

#include <limits>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

const float kNaN = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();
using Ints = std::vector<std::int64_t>;

const char* const kArithmetic[] = {"Add", "Sub", "Mul", "Div", "Max", "Min"};
const char* const kComparisons[] = {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"};

TEST(Binary, EachPairOfSpecialValues) {
  const std::vector<float> values = {0.0F, -0.0F, kInf, -kInf, kNaN, 1.0F, -2.5F};
  const Tensor a = Tensor::f32({7, 1}, values), b = Tensor::f32({7}, values);
  for (const char* type : kArithmetic) {
    SCOPED_TRACE(std::string(type));
    expect_as_reference(make_op(type, 14, {}, {a, b}));
  }
  for (const char* type : kComparisons) {
    SCOPED_TRACE(std::string(type));
    expect_as_reference(make_op(type, 16, {}, {a, b}));
  }
}

TEST(Binary, Pow) {
  const std::vector<float> bases = {0.0F,   1.0F,  -1.0F, 2.0F,  -2.0F, 0.3F,
                                    1e-40F, 3e38F, kInf,  -kInf, kNaN};
  const Tensor a = Tensor::f32({11, 1}, bases);
  const Tensor b = Tensor::f32({8}, {0.0F, 1.0F, -1.0F, 2.0F, 3.0F, 0.5F, kInf, kNaN});
  expect_as_reference(make_op("Pow", 13, {}, {a, b}));
  for (const float power : {2.0F, 3.0F, 0.5F, -0.5F, -1.0F, 1.7F}) {
    const Tensor exponent = Tensor::f32({}, {power});
    SCOPED_TRACE(power);
    expect_as_reference(make_op("Pow", 13, {}, {a, exponent}, {1}));
  }
  const Tensor i = Tensor::i64({4}, {-3, 0, 2, 7});
  expect_as_reference(make_op("Pow", 13, {}, {i, Tensor::i64({4}, {3, 0, 10, 2})}));
}

TEST(Binary, PowOfIntegersSaturates) {
  const Tensor i = Tensor::i64({3}, {3, -3, 1});
  const auto most = std::numeric_limits<std::int64_t>::max();
  const OpCase op = make_op("Pow", 13, {}, {i, Tensor::f32({3}, {kInf, 99.0F, kNaN})});
  const Tensor y = run_one(op);
  EXPECT_EQ(y.data<std::int64_t>()[0], most);
  EXPECT_EQ(y.data<std::int64_t>()[1], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(y.data<std::int64_t>()[2], 1);  // 1^NaN
  expect_as_reference(op);
}

// Rank 0, rows, columns, the middle, and a result larger than both.
TEST(Binary, Broadcasting) {
  const std::pair<Ints, Ints> shapes[] = {
      {{}, {}},         {{}, {3, 5}},        {{5}, {3, 5}},       {{3, 1}, {3, 5}},
      {{1, 5}, {3, 1}}, {{2, 1, 7}, {3, 1}}, {{1, 1}, {1, 1, 1}}, {{2, 9, 1, 1}, {1, 9, 3, 1}},
      {{0}, {1}},       {{0, 3}, {1, 3}},    {{31}, {31}}};
  for (const auto& [a, b] : shapes) {
    const Tensor x = random_tensor(DType::kF32, a, -2, 2, 1);
    const Tensor y = random_tensor(DType::kF32, b, -2, 2, 2);
    SCOPED_TRACE(dims_text(a) + dims_text(b));
    expect_as_reference(make_op("Sub", 14, {}, {x, y}));
  }
}

TEST(Binary, AnotherStorageOrder) {
  const Tensor x = random_tensor(DType::kF32, {2, 3, 4, 5}, -2, 2, 1);
  const Tensor y = random_tensor(DType::kF32, {3, 1, 1}, -2, 2, 2);
  expect_as_reference_transposed(make_op("Mul", 14, {}, {x, y}));
}

TEST(Binary, IntegerArithmeticNeverTraps) {
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const Tensor a = Tensor::i64({5}, {7, -7, 7, 5, lowest});
  const Tensor b = Tensor::i64({5}, {2, 2, -2, 1, 2});
  for (const char* type : kArithmetic) {
    if (std::string(type) == "Mul") continue;  // overflow is not defined
    SCOPED_TRACE(std::string(type));
    expect_as_reference(make_op(type, 14, {}, {a, b}));
  }
  const Tensor zero = run_one(make_op("Div", 14, {}, {a, Tensor::i64({1}, {0})}));
  EXPECT_EQ(zero.to_ints(), (Ints{0, 0, 0, 0, 0}));
  const Tensor wrapped = run_one(make_op("Div", 14, {}, {a, Tensor::i64({1}, {-1})}));
  EXPECT_EQ(wrapped.to_ints()[4], lowest);
  const Tensor u = random_tensor(DType::kU8, {9}, 1, 200, 3),
               v = random_tensor(DType::kU8, {9}, 1, 9, 4);
  expect_as_reference(make_op("Div", 14, {}, {u, v}));
}

TEST(Binary, Logic) {
  const Tensor a = random_tensor(DType::kBool, {3, 1}, 0, 1, 1);
  const Tensor b = random_tensor(DType::kBool, {5}, 0, 1, 2);
  for (const char* type : {"And", "Or", "Xor", "Equal"}) {
    SCOPED_TRACE(std::string(type));
    expect_as_reference(make_op(type, 13, {}, {a, b}));
  }
}

TEST(Where, TakesTheArmThatTheConditionNames) {
  const Tensor condition = random_tensor(DType::kBool, {3, 1}, 0, 1, 1);
  const Tensor a = Tensor::f32({}, {-kInf});
  const Tensor b = random_tensor(DType::kF32, {2, 1, 7}, -1, 1, 2);
  expect_as_reference(make_op("Where", 16, {}, {condition, a, b}));
  const Tensor i = Tensor::i64({1}, {5}), j = Tensor::i64({7}, {1, 2, 3, 4, 5, 6, 7});
  expect_as_reference(make_op("Where", 16, {}, {condition, i, j}));
}

TEST(Binary, Refusals) {
  const Tensor a = Tensor::f32({2, 3}, {1, 2, 3, 4, 5, 6}), b = Tensor::f32({2}, {1, 2});
  EXPECT_EQ(refusal_of(make_op("Add", 14, {}, {a, b})),
            "Add 'node': input 0 is [2,3] and input 1 is [2], which do not broadcast at axis 1 of "
            "the result; check the model or pass --shape [onnx-shape]");
  EXPECT_EQ(refusal_of(make_op("Add", 14, {}, {a, Tensor::i64({1}, {1})})),
            "Add 'node': input 0 is f32 but input 1 is i64; put a Cast before one of them "
            "[onnx-type]");
  EXPECT_EQ(refusal_of(make_op("And", 14, {}, {a, a})),
            "And 'node': its first input is f32 but must be one of bool; put a Cast before it "
            "[onnx-type]");
  EXPECT_EQ(refusal_of(make_op("Where", 14, {}, {a, a, a})),
            "Where 'node': the condition is f32 but must be one of bool; put a Cast before it "
            "[onnx-type]");
}

}  // namespace
}  // namespace frit::test

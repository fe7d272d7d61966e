// MatMul and Gemm: exact products, every operand shape against the reference, refusals.
#include "ops/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::ElementsAre;
using Ints = std::vector<std::int64_t>;

std::vector<float> floats(const Tensor& tensor) {
  const auto data = tensor.data<float>();
  return {data.begin(), data.end()};
}

OpCase matmul(const Ints& a, const Ints& b, DType dtype = DType::kF32) {
  const double most = is_float(dtype) ? 1 : 50;
  return make_op(
      "MatMul", 13, {},
      {random_tensor(dtype, a, -most, most, 1), random_tensor(dtype, b, -most, most, 2)});
}

TEST(MatMul, EveryRankAsTheReference) {
  const std::vector<std::pair<Ints, Ints>> shapes = {
      {{2, 3}, {3, 5}},
      {{1, 1}, {1, 1}},
      {{7, 31}, {31, 9}},
      {{3}, {3}},
      {{3}, {3, 5}},
      {{5, 3}, {3}},
      {{2, 5, 3}, {3}},
      {{3}, {2, 3, 5}},
      {{1, 7, 8}, {8, 9}},
      {{2, 7, 8}, {2, 8, 9}},
      {{2, 1, 3, 4}, {5, 4, 2}},
      {{1, 3, 4}, {6, 4, 1}},
      {{3, 4}, {2, 2, 4, 5}},
      {{2, 3, 0}, {0, 4}},
      {{0, 3}, {3, 4}},
      {{19, 1, 8}, {8, 33}},
      {{3, 20, 2, 8}, {8, 33}},
      {{9, 0, 8}, {8, 3}},
  };
  for (const auto& [a, b] : shapes) {
    SCOPED_TRACE(dims_text(a) + " times " + dims_text(b));
    expect_as_reference(matmul(a, b));
  }
}

TEST(MatMul, Transposed) { expect_as_reference_transposed(matmul({2, 1, 3, 4}, {5, 4, 7})); }

TEST(MatMul, OtherTypes) {
  for (const DType dtype : {DType::kF16, DType::kBF16, DType::kF64, DType::kI32, DType::kI64}) {
    SCOPED_TRACE(name_of(dtype));
    expect_as_reference(matmul({2, 31}, {31, 3}, dtype));
  }
}

TEST(MatMul, MultipliesRowsByColumns) {
  const Tensor a = Tensor::f32({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = Tensor::f32({3, 2}, {1, 0, 0, 1, 2, 2});
  EXPECT_THAT(floats(run_one(make_op("MatMul", 13, {}, {a, b}))), ElementsAre(7, 8, 16, 17));
}

TEST(MatMul, FactsAxesAndRoles) {
  const Operator* rule = find_operator("", "MatMul");
  OpCase test = matmul({2, 1, 3, 4}, {5, 4, 7});
  test.op.outputs = rule->infer(test.op).value();
  EXPECT_THAT(rule->axis_names(test.op), ElementsAre("b0", "b1", "m", "n"));
  const Facts wanted = {{"b0", 2}, {"b1", 5},     {"m", 3},   {"n", 7},
                        {"k", 4},  {"batch", 10}, {"rank", 4}};
  EXPECT_EQ(rule->facts(test.op), wanted);
  EXPECT_EQ(rule->constant_role(test.op, 1), "");

  test = matmul({1, 3, 4}, {4, 7});
  test.op.outputs = rule->infer(test.op).value();
  EXPECT_THAT(rule->axis_names(test.op), ElementsAre("b0", "m", "n"));
  EXPECT_EQ(rule->constant_role(test.op, 1), "w");
  EXPECT_THAT(rule->constant_axes(test.op, 1), ElementsAre("k", "n"));
  EXPECT_EQ(rule->facts(test.op).at("batch"), 1);

  // Rows of one right-hand side are interchangeable: tokens of a batch of 1 fill the tiles.
  test = matmul({3, 20, 2, 8}, {8, 33});
  test.op.outputs = rule->infer(test.op).value();
  EXPECT_THAT(rule->axis_names(test.op), ElementsAre("b0", "m", "b1", "n"));
  EXPECT_EQ(rule->facts(test.op).at("m"), 20);
  EXPECT_EQ(rule->facts(test.op).at("batch"), 6);
  test = matmul({3, 20, 8, 8}, {8, 33});
  test.op.outputs = rule->infer(test.op).value();
  EXPECT_THAT(rule->axis_names(test.op), ElementsAre("b0", "b1", "m", "n"));
}

TEST(MatMul, Refusals) {
  EXPECT_EQ(refusal_of(matmul({1, 2}, {3, 1})),
            "MatMul 'node': f32[1,2] times f32[3,1] sums over 2 on the left but 3 on the right; "
            "correct the model or pass --shape [onnx-shape]");
  EXPECT_EQ(refusal_of(matmul({2, 1, 2}, {3, 2, 1})),
            "MatMul 'node': f32[2,1,2] times f32[3,2,1] has batches [2] and [3], which do not "
            "broadcast; correct the model or pass --shape [onnx-shape]");
}

OpCase gemm(AttributeMap attributes, const Ints& a, const Ints& b, const std::optional<Ints>& c) {
  std::vector<std::optional<Tensor>> values = {random_tensor(DType::kF32, a, -1, 1, 1),
                                               random_tensor(DType::kF32, b, -1, 1, 2)};
  if (c) values.push_back(random_tensor(DType::kF32, *c, -1, 1, 3));
  return make_op("Gemm", 13, std::move(attributes), values);
}

TEST(Gemm, EveryShapeOfCAsTheReference) {
  for (const Ints& c : {Ints{}, Ints{1}, Ints{5}, Ints{1, 5}, Ints{2, 1}, Ints{2, 5}, Ints{1, 1}}) {
    SCOPED_TRACE(dims_text(c));
    expect_as_reference(gemm({}, {2, 3}, {3, 5}, c));
    expect_as_reference(gemm({{"alpha", 0.5F}, {"beta", 2.0F}}, {2, 3}, {3, 5}, c));
  }
}

TEST(Gemm, SquareOperandsKeepTheirTransposition) {
  for (const std::int64_t a : {0, 1}) {
    for (const std::int64_t b : {0, 1}) {
      SCOPED_TRACE(std::to_string(a) + std::to_string(b));
      const AttributeMap attributes = {{"transA", a}, {"transB", b}};
      expect_as_reference(gemm(attributes, {7, 7}, {7, 7}, Ints{7}));
      expect_as_reference(
          gemm(attributes, a ? Ints{9, 2} : Ints{2, 9}, b ? Ints{5, 9} : Ints{9, 5}, std::nullopt));
    }
  }
}

TEST(Gemm, ScalesAsStated) {
  for (const float beta : {0.0F, 1.0F, -3.0F}) {
    expect_as_reference(gemm({{"beta", beta}}, {2, 3}, {3, 5}, Ints{5}));
  }
  for (const float alpha : {0.0F, 2.0F}) {
    expect_as_reference(gemm({{"alpha", alpha}}, {2, 3}, {3, 5}, std::nullopt));
  }
}

TEST(Gemm, ZeroProductLeavesTheBias) {
  const Tensor zero = Tensor::f32({2, 2}, {0, 0, 0, 0});
  const Tensor y = run_one(make_op("Gemm", 13, {}, {zero, zero, Tensor::f32({2}, {1, 2})}));
  EXPECT_THAT(floats(y), ElementsAre(1, 2, 1, 2));
}

TEST(Gemm, Refusals) {
  EXPECT_EQ(refusal_of(gemm({}, {2, 3}, {3, 5}, Ints{3, 2, 5})),
            "Gemm 'node': C is f32[3,2,5] but must broadcast to [2,5]; correct the model "
            "[onnx-shape]");
  EXPECT_EQ(refusal_of(gemm({}, {1, 3}, {3, 5}, Ints{2, 5})),
            "Gemm 'node': C is f32[2,5] but must broadcast to [1,5]; correct the model "
            "[onnx-shape]");
  EXPECT_EQ(refusal_of(gemm({{"transB", std::int64_t{1}}}, {2, 3}, {3, 5}, std::nullopt)),
            "Gemm 'node': f32[2,3] (transA 0) sums over 3 but f32[3,5] (transB 1) over 5; correct "
            "the model or pass --shape [onnx-shape]");
}

TEST(Gemm, OfIntegersAsTheReference) {
  const auto numbers = [](std::vector<std::int64_t> dims) {
    return random_tensor(DType::kI32, std::move(dims), -9, 9, 3);
  };
  expect_as_reference(make_op("Gemm", 13, {{"transA", std::int64_t{1}}},
                              {numbers({5, 3}), numbers({5, 4}), numbers({4})}));
}

}  // namespace
}  // namespace frit::test

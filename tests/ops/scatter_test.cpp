// Scatter, ScatterElements, ScatterND, CumSum, CumProd: values of the specification by hand, every
// reduction against the reference, duplicates and indices out of range.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::ElementsAre;
using Ints = std::vector<std::int64_t>;

TEST(ScatterElements, ValuesOfTheSpecification) {
  const OpCase rows = make_op(
      "ScatterElements", 13, {},
      {Tensor::f32({3, 3}, std::vector<float>(9, 0.0F)), Tensor::i64({2, 3}, {1, 0, 2, 0, 2, 1}),
       Tensor::f32({2, 3}, {1, 1.5F, 2, 3, 4, 5})});
  EXPECT_THAT(run_one(rows).to_doubles(), ElementsAre(3, 1.5, 0, 1, 0, 5, 0, 4, 2));
  const OpCase line = make_op("Scatter", 9, {{"axis", std::int64_t{1}}},
                              {Tensor::f32({1, 5}, {1, 2, 3, 4, 5}), Tensor::i64({1, 2}, {1, 3}),
                               Tensor::f32({1, 2}, {-1, -2})});
  EXPECT_THAT(run_one(line).to_doubles(), ElementsAre(1, -1, 3, -2, 5));
}

OpCase at_one(const std::string& how, const Tensor& data, const Tensor& updates) {
  return make_op("ScatterElements", 18, {{"reduction", how}},
                 {data, Tensor::i64({3}, {1, 1, -1}), updates});
}

TEST(ScatterElements, DuplicatesComeInOrder) {
  const Tensor data = Tensor::f32({2}, {10, 3}), updates = Tensor::f32({3}, {4, 5, 2});
  EXPECT_THAT(run_one(at_one("none", data, updates)).to_doubles(), ElementsAre(10, 2));
  EXPECT_THAT(run_one(at_one("add", data, updates)).to_doubles(), ElementsAre(10, 14));
  EXPECT_THAT(run_one(at_one("mul", data, updates)).to_doubles(), ElementsAre(10, 120));
  EXPECT_THAT(run_one(at_one("max", data, updates)).to_doubles(), ElementsAre(10, 5));
  EXPECT_THAT(run_one(at_one("min", data, updates)).to_doubles(), ElementsAre(10, 2));
  // 2^24 + 1 + 1 in this order is 2^24 in float32.
  const Tensor large = Tensor::f32({2}, {0, 0x1p24F}), ones = Tensor::f32({3}, {1, 1, 1});
  EXPECT_THAT(run_one(at_one("add", large, ones)).to_doubles(), ElementsAre(0, 0x1p24));
}

TEST(ScatterElements, ExtremesKeepNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor data = Tensor::f32({2}, {1, 2}), updates = Tensor::f32({3}, {nan, 5, 2});
  for (const char* how : {"max", "min"}) {
    EXPECT_TRUE(std::isnan(run_one(at_one(how, data, updates)).to_doubles()[1])) << how;
  }
}

TEST(ScatterElements, EveryReductionTypeAndAxis) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kF64, DType::kI8, DType::kI32,
                            DType::kU64, DType::kBool}) {
    for (const char* how : {"none", "add", "mul", "max", "min"}) {
      if (dtype == DType::kBool && how[0] != 'n') continue;  // below
      SCOPED_TRACE(std::string(name_of(dtype)) + " " + how);
      const Tensor data = random_tensor(dtype, {3, 5, 7}, 0, 9, 1);
      const Tensor indices = random_tensor(DType::kI64, {2, 4, 7}, 0, 3, 2);
      expect_as_reference(make_op("ScatterElements", 18,
                                  {{"axis", std::int64_t{1}}, {"reduction", std::string(how)}},
                                  {data, indices, random_tensor(dtype, {2, 4, 7}, 0, 4, 3)}));
    }
  }
}

TEST(ScatterElements, BoolsAddAsOrAndMultiplyAsAnd) {
  const auto bools = [](const std::vector<std::uint8_t>& values) {
    return Tensor::of(DType::kBool, {static_cast<std::int64_t>(values.size())}, values);
  };
  const OpCase any = at_one("add", bools({0, 1}), bools({1, 1, 1}));
  EXPECT_THAT(run_one(any).to_ints(), ElementsAre(0, 1));
  expect_as_reference(any);
  expect_as_reference(at_one("mul", bools({0, 1}), bools({1, 0, 1})));
  expect_as_reference(at_one("max", bools({0, 0}), bools({0, 1, 0})));
  expect_as_reference(at_one("min", bools({0, 1}), bools({1, 1, 1})));
}

TEST(ScatterElements, RunTimeIndicesOutOfRangeAreClamped) {
  const OpCase test = make_op("ScatterElements", 13, {},
                              {Tensor::f32({3}, {1, 2, 3}), Tensor::i64({2}, {-50, 1LL << 40}),
                               Tensor::f32({2}, {-1, -2})});
  EXPECT_THAT(run_one(test).to_doubles(), ElementsAre(-1, 2, -2));
}

TEST(ScatterElements, NothingToWriteAndNothingToWriteTo) {
  expect_as_reference(
      make_op("ScatterElements", 13, {},
              {Tensor::f32({3}, {1, 2, 3}), Tensor::i64({0}, {}), Tensor::f32({0}, {})}));
  expect_as_reference(
      make_op("ScatterElements", 13, {{"axis", std::int64_t{1}}},
              {Tensor::f32({0, 2}, {}), Tensor::i64({0, 2}, {}), Tensor::f32({0, 2}, {})}));
}

TEST(ScatterElements, RefusesReductionsOfLaterOpsets) {
  OpCase old = at_one("max", Tensor::f32({2}, {1, 2}), Tensor::f32({3}, {1, 1, 1}));
  old.op.opset = 16;
  EXPECT_EQ(refusal_of(old),
            "ScatterElements 'node': reduction is \"max\" at opset 16; there are none, from opset "
            "16 add and mul, from opset 18 max and min [onnx-attribute]");
}

TEST(ScatterND, ValuesOfTheSpecification) {
  const OpCase test =
      make_op("ScatterND", 11, {},
              {Tensor::f32({8}, {1, 2, 3, 4, 5, 6, 7, 8}), Tensor::i64({4, 1}, {4, 3, 1, 7}),
               Tensor::f32({4}, {9, 10, 11, 12})});
  EXPECT_THAT(run_one(test).to_doubles(), ElementsAre(1, 11, 3, 10, 9, 6, 7, 12));
}

TEST(ScatterND, AsTheReference) {
  for (const char* how : {"none", "add", "mul", "max", "min"}) {
    for (const std::int64_t tuple : {1, 2, 3}) {
      SCOPED_TRACE(how + std::to_string(tuple));
      Ints updates = {2, 5};
      const Ints dims = {3, 4, 7};
      updates.insert(updates.end(), dims.begin() + tuple, dims.end());
      expect_as_reference(make_op("ScatterND", 18, {{"reduction", std::string(how)}},
                                  {random_tensor(DType::kF32, dims, -2, 2, 1),
                                   random_tensor(DType::kI64, {2, 5, tuple}, -3, 3, 2),
                                   random_tensor(DType::kF32, updates, -2, 2, 3)}));
    }
  }
  expect_as_reference(make_op("ScatterND", 18, {{"reduction", std::string("add")}},
                              {Tensor::f32({2, 2}, {1, 2, 3, 4}), Tensor::i64({2}, {1, 0}),
                               Tensor::f32({}, {5})}));  // one element, updates of rank 0
}

OpCase scan(const char* type, std::int64_t exclusive, std::int64_t reverse, const Tensor& x,
            std::int64_t axis) {
  return make_op(type, 26, {{"exclusive", exclusive}, {"reverse", reverse}},
                 {x, Tensor::of<std::int32_t>(DType::kI32, {}, {static_cast<std::int32_t>(axis)})},
                 {1});
}

TEST(CumSum, ValuesOfTheSpecification) {
  const Tensor x = Tensor::f32({3}, {1, 2, 3});
  EXPECT_THAT(run_one(scan("CumSum", 0, 0, x, 0)).to_doubles(), ElementsAre(1, 3, 6));
  EXPECT_THAT(run_one(scan("CumSum", 1, 0, x, 0)).to_doubles(), ElementsAre(0, 1, 3));
  EXPECT_THAT(run_one(scan("CumSum", 0, 1, x, 0)).to_doubles(), ElementsAre(6, 5, 3));
  EXPECT_THAT(run_one(scan("CumSum", 1, 1, x, 0)).to_doubles(), ElementsAre(5, 3, 0));
  EXPECT_THAT(run_one(scan("CumProd", 0, 1, x, 0)).to_doubles(), ElementsAre(6, 6, 3));
  EXPECT_THAT(run_one(scan("CumProd", 1, 0, x, 0)).to_doubles(), ElementsAre(1, 1, 2));
}

TEST(CumSumSlow, AsTheReference) {
  for (const char* type : {"CumSum", "CumProd"}) {
    for (const DType dtype : {DType::kF32, DType::kF16, DType::kI32, DType::kU64}) {
      for (const std::int64_t axis : {0, 1, -1}) {
        for (int form = 0; form < 4; ++form) {
          SCOPED_TRACE(std::string(type) + std::string(name_of(dtype)) + std::to_string(axis));
          const Tensor x = random_tensor(dtype, {3, 5, 17}, 0, 3, 1);
          expect_as_reference(scan(type, form & 1, form >> 1, x, axis));
        }
      }
    }
  }
  expect_as_reference(scan("CumSum", 1, 0, Tensor::f32({2, 0}, {}), 1));
  expect_as_reference(scan("CumSum", 1, 1, Tensor::f32({2, 1}, {4, 5}), 1));
}

TEST(CumSum, RefusesAnAxisComputedAtRunTime) {
  OpCase test = scan("CumSum", 0, 0, Tensor::f32({3}, {1, 2, 3}), 0);
  test.op.constants[1].reset();
  EXPECT_EQ(refusal_of(test),
            "CumSum 'node': input 1 (axis) is computed at run time but must be known when "
            "building; pin it with --const or make it an initializer [onnx-not-constant]");
}

}  // namespace
}  // namespace frit::test

// TopK, ArgMax, ArgMin: values by hand, every type and odd shape against the reference, ties, NaN,
// -0, and long rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::ElementsAre;
using Ints = std::vector<std::int64_t>;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

OpCase top(const Tensor& x, std::int64_t k, AttributeMap attributes = {}, int opset = 24) {
  return make_op("TopK", opset, std::move(attributes), {x, Tensor::i64({1}, {k})}, {1});
}

std::vector<Tensor> both(const OpCase& test) {
  auto outputs = run_op(test);
  if (!outputs) throw InternalError(to_text(outputs.error()));
  return *outputs;
}

TEST(TopK, ValuesOfTheSpecification) {
  const Tensor x = Tensor::f32({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const auto largest = both(top(x, 3, {{"axis", std::int64_t{1}}}));
  EXPECT_THAT(largest[0].to_doubles(), ElementsAre(3, 2, 1, 7, 6, 5, 11, 10, 9));
  EXPECT_THAT(largest[1].to_ints(), ElementsAre(3, 2, 1, 3, 2, 1, 3, 2, 1));
  const auto least = both(top(x, 2, {{"axis", std::int64_t{0}}, {"largest", std::int64_t{0}}}));
  EXPECT_THAT(least[0].to_doubles(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(least[1].to_ints(), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

TEST(TopK, TheLowerIndexOfEqualsComesFirst) {
  const Tensor x = Tensor::f32({6}, {1, 0, 1, -0.0F, 1, 0});
  EXPECT_THAT(both(top(x, 6))[1].to_ints(), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(both(top(x, 2))[1].to_ints(), ElementsAre(0, 2));
  EXPECT_THAT(both(top(x, 4, {{"largest", std::int64_t{0}}}))[1].to_ints(),
              ElementsAre(1, 3, 5, 0));
}

TEST(TopK, NaNIsAboveInfinity) {
  const Tensor x = Tensor::f32({5}, {1, kNaN, kInf, -kInf, kNaN});
  EXPECT_THAT(both(top(x, 3))[1].to_ints(), ElementsAre(1, 4, 2));
  EXPECT_THAT(both(top(x, 1))[1].to_ints(), ElementsAre(1));
  EXPECT_THAT(both(top(x, 5, {{"largest", std::int64_t{0}}}))[1].to_ints(),
              ElementsAre(3, 0, 2, 1, 4));
}

TEST(TopKSlow, EveryTypeAsTheReference) {
  for (const DType dtype :
       {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI8, DType::kI16, DType::kI32,
        DType::kI64, DType::kU8, DType::kU16, DType::kU32, DType::kU64}) {
    for (const std::int64_t largest : {0, 1}) {
      SCOPED_TRACE(std::string(name_of(dtype)) + std::to_string(largest));
      const bool negative = is_float(dtype) || name_of(dtype)[0] == 'i';
      expect_as_reference(top(random_tensor(dtype, {2, 17, 3}, negative ? -9 : 0, 9, 1), 5,
                              {{"axis", std::int64_t{1}}, {"largest", largest}}));
    }
  }
  const Tensor extremes = Tensor::of<std::uint64_t>(
      DType::kU64, {4},
      {0, ~std::uint64_t{0}, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1});
  EXPECT_THAT(both(top(extremes, 4))[1].to_ints(), ElementsAre(1, 2, 3, 0));
}

TEST(TopK, OddShapesAndLongRows) {
  for (const std::int64_t k : {0, 1, 7, 16, 17}) {
    SCOPED_TRACE(k);
    expect_as_reference(top(random_tensor(DType::kF32, {3, 1, 17}, -1, 1, 1), k));
  }
  expect_as_reference(top(Tensor::f32({0, 4}, {}), 2));
  expect_as_reference(top(random_tensor(DType::kF32, {100000}, -1, 1, 1), 1000));
  std::vector<float> rising(50000);
  std::iota(rising.begin(), rising.end(), 0.0F);
  expect_as_reference(top(Tensor::f32({50000}, rising), 50000));  // each key enters the heap
}

TEST(TopK, KIsAnAttributeBeforeOpset10) {
  const OpCase old = make_op("TopK", 1, {{"k", std::int64_t{2}}}, {Tensor::f32({3}, {1, 3, 2})});
  EXPECT_THAT(both(old)[1].to_ints(), ElementsAre(1, 2));
  expect_as_reference(old);
  expect_as_reference(top(Tensor::f32({3}, {1, 3, 2}), 2, {}, 10));
}

TEST(TopK, Refusals) {
  EXPECT_EQ(
      refusal_of(top(Tensor::f32({3}, {1, 3, 2}), 4)),
      "TopK 'node': it asks for 4 elements of axis 0 of its input f32[3], which has 3; correct "
      "k [onnx-shape]");
  EXPECT_EQ(
      refusal_of(top(Tensor::i64({3}, {1, 3, 2}), 2, {}, 10)),
      "TopK 'node': its input is i64 but must be one of f16, bf16, f32, f64; put a Cast before "
      "it [onnx-type]");
}

TEST(ArgMax, FirstAndLastOfEquals) {
  const Tensor x = Tensor::f32({2, 3}, {2, 2, 1, 0, 3, 3});
  const auto found = [&](const char* type, std::int64_t last) {
    return run_one(make_op(type, 13,
                           {{"axis", std::int64_t{1}},
                            {"select_last_index", last},
                            {"keepdims", std::int64_t{0}}},
                           {x}))
        .to_ints();
  };
  EXPECT_THAT(found("ArgMax", 0), ElementsAre(0, 1));
  EXPECT_THAT(found("ArgMax", 1), ElementsAre(1, 2));
  EXPECT_THAT(found("ArgMin", 0), ElementsAre(2, 0));
}

TEST(ArgMax, NaNIsFoundByBoth) {
  const Tensor x = Tensor::f32({5}, {1, kInf, kNaN, -kInf, kNaN});
  EXPECT_THAT(run_one(make_op("ArgMax", 13, {}, {x})).to_ints(), ElementsAre(2));
  EXPECT_THAT(run_one(make_op("ArgMin", 13, {}, {x})).to_ints(), ElementsAre(2));
}

TEST(ArgMax, ZerosOfBothSignsAreEqual) {
  const Tensor x = Tensor::f32({3}, {-0.0F, 0.0F, -1});
  EXPECT_THAT(run_one(make_op("ArgMax", 13, {}, {x})).to_ints(), ElementsAre(0));
}

void expect_arg(const std::vector<DType>& dtypes, const std::vector<std::int64_t>& axes) {
  for (const char* type : {"ArgMax", "ArgMin"}) {
    for (const DType dtype : dtypes) {
      for (const std::int64_t axis : axes) {
        for (const std::int64_t last : {0, 1}) {
          SCOPED_TRACE(std::string(type) + std::string(name_of(dtype)) + std::to_string(axis));
          expect_as_reference(make_op(type, 13, {{"axis", axis}, {"select_last_index", last}},
                                      {random_tensor(dtype, {3, 17, 5}, 0, 4, 1)}));
        }
      }
    }
  }
}

TEST(ArgMax, AsTheReference) { expect_arg({DType::kF32, DType::kI8}, {1}); }
TEST(ArgMaxSlow, AsTheReferenceInEveryType) {
  expect_arg({DType::kF32, DType::kF64, DType::kF16, DType::kI8, DType::kI64, DType::kU64},
             {0, 1, -1});
}

TEST(ArgMax, RefusesAnEmptyAxis) {
  EXPECT_EQ(refusal_of(make_op("ArgMax", 13, {}, {Tensor::f32({0, 2}, {})})),
            "ArgMax 'node': axis 0 of its input f32[0,2] is empty and has no extreme; correct the "
            "model [onnx-shape]");
}

}  // namespace
}  // namespace frit::test

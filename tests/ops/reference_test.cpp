// The reference against values worked out by hand or taken from CASES.md.
#include "ops/reference/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/reference_call.h"

namespace frit::test {
namespace {

using testing::ElementsAre;
using Ints = std::vector<std::int64_t>;

RefTensor value_of(const OneNode& node, const std::vector<RefTensor>& inputs,
                   RefPrecision precision = RefPrecision::kDouble) {
  const auto result = evaluate(node, inputs, precision);
  if (!result) {
    ADD_FAILURE() << to_text(result.error());
    return {};
  }
  return (*result)[0];
}

std::string refusal_of(const OneNode& node, const std::vector<RefTensor>& inputs) {
  const auto result = evaluate(node, inputs);
  return result ? "accepted" : to_text(result.error());
}

TEST(Reference, AddsWithBroadcasting) {
  const RefTensor y = value_of({"Add"}, {counting({2, 3}), f32({2, 1}, {10, 20})});
  EXPECT_THAT(y.dims, ElementsAre(2, 3));
  EXPECT_THAT(y.real, ElementsAre(10, 11, 12, 23, 24, 25));
}

TEST(Reference, AddsScalarsOfRankZero) {
  const RefTensor y = value_of({"Add"}, {f32({}, {1}), f32({}, {2})});
  EXPECT_TRUE(y.dims.empty());
  EXPECT_THAT(y.real, ElementsAre(3));
}

TEST(Reference, IntegerDivisionTruncates) {
  EXPECT_THAT(value_of({"Div"}, {i64({3}, {-3, 3, 7}), i64({}, {2})}).integer,
              ElementsAre(-1, 1, 3));
}

TEST(Reference, RefusesIntegerDivisionByZero) {
  EXPECT_EQ(refusal_of({"Div"}, {i64({1}, {1}), i64({1}, {0})}),
            "error: node `n` (Div): divides an integer by zero [ref-unsupported]");
}

TEST(Reference, ReluKeepsNan) {
  const RefTensor y = value_of({"Relu"}, {f32({3}, {-1.0f, NAN, 2.0f})});
  EXPECT_EQ(y.real[0], 0.0);
  EXPECT_TRUE(std::isnan(y.real[1]));
  EXPECT_EQ(y.real[2], 2.0);
}

TEST(Reference, TransposesCompose) {
  const RefTensor x = counting({2, 3, 4});
  const RefTensor once = value_of({"Transpose", {{"perm", Ints{1, 0, 2}}}}, {x});
  const RefTensor twice = value_of({"Transpose", {{"perm", Ints{0, 2, 1}}}}, {once});
  const RefTensor direct = value_of({"Transpose", {{"perm", Ints{1, 2, 0}}}}, {x});
  EXPECT_EQ(twice.dims, direct.dims);
  EXPECT_EQ(twice.real, direct.real);
}

TEST(Reference, GathersTheIndexedRow) {
  const RefTensor x = counting({4, 4}, 1.0f, 1.0f);
  EXPECT_THAT(value_of({"Gather"}, {x, i64({1}, {2})}).real, ElementsAre(9, 10, 11, 12));
}

TEST(Reference, SlicesBackwards) {
  const RefTensor y = value_of(
      {"Slice"}, {counting({5}), i64({1}, {-1}), i64({1}, {-1000}), i64({1}, {0}), i64({1}, {-2})});
  EXPECT_THAT(y.real, ElementsAre(4, 2, 0));
  const RefTensor canonical = value_of(
      {"Slice", {{"starts", Ints{4}}, {"ends", Ints{-1}}, {"steps", Ints{-2}}}}, {counting({5})});
  EXPECT_THAT(canonical.real, ElementsAre(4, 2, 0));
}

TEST(Reference, ConvolvesByHand) {
  const RefTensor y = value_of(
      {"Conv", {{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}}},
      {counting({1, 1, 3, 3}), f32({1, 1, 3, 3}, std::vector<float>(9, 1)), f32({1}, {0.5f})});
  EXPECT_THAT(y.dims, ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(y.real, ElementsAre(8.5, 12.5, 20.5, 24.5));
}

TEST(Reference, ConvSamePadsUpperAndLower) {
  const RefTensor w = f32({1, 1, 2}, {1, 10});
  const RefTensor x = counting({1, 1, 5}, 1.0f, 1.0f);
  EXPECT_THAT(value_of({"Conv", {{"auto_pad", std::string("SAME_UPPER")}}}, {x, w}).real,
              ElementsAre(21, 32, 43, 54, 5));
  EXPECT_THAT(value_of({"Conv", {{"auto_pad", std::string("SAME_LOWER")}}}, {x, w}).real,
              ElementsAre(10, 21, 32, 43, 54));
}

TEST(Reference, GemmOfZerosIsTheBiasPerColumn) {
  const RefTensor zero = f32({2, 2}, {0, 0, 0, 0});
  EXPECT_THAT(value_of({"Gemm"}, {zero, zero, f32({2}, {1, 2})}).real, ElementsAre(1, 2, 1, 2));
}

TEST(Reference, MatMulPromotesVectors) {
  const RefTensor y = value_of({"MatMul"}, {counting({3}), counting({2, 3, 2})});
  EXPECT_THAT(y.dims, ElementsAre(2, 2));
  EXPECT_THAT(y.real, ElementsAre(10, 13, 28, 31));
}

}  // namespace
}  // namespace frit::test

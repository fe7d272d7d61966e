// The reference against values worked out by hand or taken from CASES.md.
#include "ops/reference/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Reference, IntegerDivisionByZeroGivesZero) {
  const Ints least = {std::numeric_limits<std::int64_t>::min()};
  EXPECT_THAT(value_of({"Div"}, {i64({2}, {1, -7}), i64({}, {0})}).integer, ElementsAre(0, 0));
  EXPECT_THAT(value_of({"Mod"}, {i64({2}, {1, -7}), i64({}, {0})}).integer, ElementsAre(0, 0));
  EXPECT_EQ(value_of({"Div"}, {i64({1}, least), i64({}, {-1})}).integer, least);  // it wraps
}

TEST(Reference, ArgMaxAndArgMinFindTheFirstNan) {
  const RefTensor x = f32({5}, {1, 3, NAN, NAN, -3});
  EXPECT_THAT(value_of({"ArgMax"}, {x}).integer, ElementsAre(2));
  EXPECT_THAT(value_of({"ArgMin"}, {x}).integer, ElementsAre(2));
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

// ---- CASES.md, exact values

TEST(Reference, CeilModeDropsAWindowThatStartsInThePadding) {
  const OneNode pool{"MaxPool",
                     {{"kernel_shape", Ints{2}},
                      {"strides", Ints{2}},
                      {"pads", Ints{1, 1}},
                      {"ceil_mode", std::int64_t{1}}}};
  EXPECT_THAT(value_of(pool, {counting({1, 1, 5})}).dims, ElementsAre(1, 1, 3));
}

TEST(Reference, CeilModeExtentsOfAOneDimensionalPool) {
  const std::vector<std::pair<std::int64_t, std::pair<std::int64_t, std::int64_t>>> cases = {
      {6, {3, 2}}, {7, {3, 3}}, {8, {4, 3}}, {9, {4, 3}}, {10, {4, 4}}};
  for (const auto& [n, extents] : cases) {
    OneNode pool{"AveragePool",
                 {{"kernel_shape", Ints{7}}, {"strides", Ints{3}}, {"pads", Ints{3, 3}}}};
    EXPECT_EQ(value_of(pool, {counting({1, 1, n})}).dims[2], extents.second) << n;
    pool.attributes["ceil_mode"] = std::int64_t{1};
    EXPECT_EQ(value_of(pool, {counting({1, 1, n})}).dims[2], extents.first) << n;
  }
}

TEST(Reference, AveragePoolDivisorAtTheCeilTail) {
  // n = 6, k = 7, s = 3, p = 3, ceil: the last window covers 3..9 of a padded extent of 12: the
  // divisor counts data and pads (3..8), not the overhang.
  const OneNode pool{"AveragePool",
                     {{"kernel_shape", Ints{7}},
                      {"strides", Ints{3}},
                      {"pads", Ints{3, 3}},
                      {"ceil_mode", std::int64_t{1}},
                      {"count_include_pad", std::int64_t{1}}}};
  const RefTensor y = value_of(pool, {f32({1, 1, 6}, {1, 1, 1, 1, 1, 1})});
  EXPECT_DOUBLE_EQ(y.real[0], 4.0 / 7.0);
  EXPECT_DOUBLE_EQ(y.real[1], 6.0 / 7.0);
  EXPECT_DOUBLE_EQ(y.real[2], 3.0 / 6.0);
}

TEST(Reference, PadThenMaxPoolSeesTheZeros) {
  const RefTensor x = f32({1, 1, 3, 3}, {-1, -2, -3, -4, -5, -6, -7, -8, -9});
  const RefTensor padded = value_of({"Pad"}, {x, i64({8}, {0, 0, 1, 1, 0, 0, 1, 1})});
  const RefTensor y = value_of({"MaxPool", {{"kernel_shape", Ints{3, 3}}}}, {padded});
  EXPECT_THAT(y.real, ElementsAre(0, 0, 0, 0, -1, 0, 0, 0, 0));
  const RefTensor pooled =
      value_of({"MaxPool", {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}}}, {x});
  EXPECT_THAT(pooled.real, ElementsAre(-1, -1, -2, -1, -1, -2, -4, -4, -5));
}

RefTensor batch_norm(const RefTensor& x, float scale, float shift) {
  return value_of({"BatchNormalization", {{"epsilon", 0.0f}}},
                  {x, f32({1}, {scale}), f32({1}, {shift}), f32({1}, {0}), f32({1}, {1})});
}

TEST(Reference, BatchNormAfterReluAndAfterABias) {
  const RefTensor conv = f32({1, 1, 1}, {-2});
  EXPECT_THAT(batch_norm(value_of({"Relu"}, {conv}), 0.5f, 1.0f).real, ElementsAre(1.0));
  const RefTensor biased =
      value_of({"Conv"}, {f32({1, 1, 1}, {5}), f32({1, 1, 1}, {2}), f32({1}, {3})});
  EXPECT_THAT(batch_norm(biased, 0.5f, 1.0f).real, ElementsAre(7.5));
}

TEST(Reference, SoftmaxCoercesUpToOpset12) {
  const RefTensor x = counting({2, 3, 4}, 0.1f);
  const OneNode old{"Softmax", {{"axis", std::int64_t{1}}}, 12};
  const RefTensor y = value_of(old, {x});
  const std::vector<double> first{.045330, .050097, .055366, .061189};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(y.real[i], first[i], 5e-7);
  const RefTensor z = value_of({"Softmax", {{"axis", std::int64_t{1}}}, 13}, {x});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(z.real[i], .211983, 5e-7);
  const RefTensor canonical = value_of({"Softmax", {{"axes", Ints{1, 2}}}, 17}, {x});
  EXPECT_EQ(canonical.real, y.real);
}

TEST(Reference, SoftmaxOfLargeNegativeLogits) {
  for (const RefPrecision precision : {RefPrecision::kDouble, RefPrecision::kNaive32}) {
    const RefTensor y = value_of({"Softmax"}, {f32({1, 2}, {-6e4f, -6e4f - 1.0f})}, precision);
    EXPECT_NEAR(y.real[0], .731059, 1e-6);
    EXPECT_NEAR(y.real[1], .268941, 1e-6);
  }
}

TEST(Reference, SoftmaxOfARowHoldingInfinityIsNan) {
  const RefTensor y = value_of({"Softmax"}, {f32({2, 2}, {INFINITY, 0, -INFINITY, 0})});
  EXPECT_TRUE(std::isnan(y.real[0]));
  EXPECT_TRUE(std::isnan(y.real[1]));
  EXPECT_EQ(y.real[2], 0.0);
  EXPECT_EQ(y.real[3], 1.0);
}

TEST(Reference, LayerNormBoundSeesAOnePassVariance) {
  // mean 1e3, spread 0.1 (CASES.md): a variance that is 4 % off changes y by 2 %.
  std::vector<float> values;
  for (int i = 0; i < 64; ++i)
    values.push_back(1000.0f + 0.1f * static_cast<float>((i * 37) % 64 - 32) / 18.0f);
  const RefTensor y = value_of({"LayerNormalization"},
                               {f32({1, 64}, values), f32({64}, std::vector<float>(64, 1.0f))},
                               RefPrecision::kDoubleBounded);
  const auto most =
      static_cast<std::size_t>(std::max_element(y.real.begin(), y.real.end()) - y.real.begin());
  EXPECT_LT(y.bound[most], 0.025 * y.real[most] + 0.02);
}

TEST(Reference, ReductionsOverNothing) {
  const RefTensor empty = f32({2, 0}, {});
  const RefTensor axes = i64({1}, {1});
  EXPECT_THAT(value_of({"ReduceSum", {{"keepdims", std::int64_t{0}}}}, {empty, axes}).real,
              ElementsAre(0, 0));
  EXPECT_THAT(
      value_of({"ReduceMax", {{"axes", Ints{1}}, {"keepdims", std::int64_t{0}}}}, {empty}).real,
      ElementsAre(-INFINITY, -INFINITY));
  EXPECT_THAT(
      value_of({"ReduceProd", {{"axes", Ints{1}}, {"keepdims", std::int64_t{0}}}}, {empty}).real,
      ElementsAre(1, 1));
}

TEST(Reference, ReducesNegativeAxes) {
  const RefTensor y = value_of({"ReduceMean", {{"axes", Ints{-1}}}}, {counting({2, 3})});
  EXPECT_THAT(y.dims, ElementsAre(2, 1));
  EXPECT_THAT(y.real, ElementsAre(1, 4));
}

TEST(Reference, CastsSaturateAndMakeZeroOfNan) {
  const RefTensor x = f32({5}, {-1.9f, 300.7f, NAN, -INFINITY, 1e20f});
  EXPECT_THAT(value_of({"Cast", {{"to", std::int64_t{2}}}}, {x}).integer,
              ElementsAre(0, 255, 0, 0, 255));
  EXPECT_THAT(value_of({"Cast", {{"to", std::int64_t{6}}}}, {x}).integer,
              ElementsAre(-1, 300, 0, INT32_MIN, INT32_MAX));
  EXPECT_THAT(value_of({"Cast", {{"to", std::int64_t{7}}}}, {x}).integer,
              ElementsAre(-1, 300, 0, INT64_MIN, INT64_MAX));
}

TEST(Reference, PadsByNegativeAmountsCrop) {
  EXPECT_THAT(value_of({"Pad"}, {counting({4}), i64({2}, {-1, 1})}).real, ElementsAre(1, 2, 3, 0));
}

TEST(Reference, PadReflectsAcrossSeveralPeriods) {
  const OneNode pad{"Pad", {{"mode", std::string("reflect")}}};
  EXPECT_THAT(value_of(pad, {counting({3}), i64({2}, {5, 2})}).real,
              ElementsAre(1, 0, 1, 2, 1, 0, 1, 2, 1, 0));
}

// ---- Bounds

TEST(ReferenceBound, OfASumIsFourEpsRootN) {
  const RefTensor y = value_of({"ReduceSum", {{"keepdims", std::int64_t{0}}}},
                               {f32({4}, {1, -1, 1, -1})}, RefPrecision::kDoubleBounded);
  EXPECT_DOUBLE_EQ(y.bound[0], 4 * 0x1p-24 * 2 * 4);
}

TEST(ReferenceBound, OfAConvolutionCarriesTheInputs) {
  RefTensor x = f32({1, 1, 2}, {1, 2});
  x.bound = {0.5, 0.25};
  const RefTensor w = f32({1, 1, 2}, {3, -4});
  const RefTensor y = value_of({"Conv"}, {x, w}, RefPrecision::kDoubleBounded);
  EXPECT_DOUBLE_EQ(y.real[0], -5);
  EXPECT_DOUBLE_EQ(y.bound[0], 3 * 0.5 + 4 * 0.25 + 4 * 0x1p-24 * std::sqrt(2.0) * (3 + 8));
}

TEST(ReferenceBound, OfAComparisonSaysWhereItIsUnsure) {
  RefTensor x = f32({2}, {1, 2});
  x.bound = {0.1, 0.1};
  const RefTensor y = value_of({"Less"}, {x, f32({}, {2.05f})}, RefPrecision::kDoubleBounded);
  EXPECT_THAT(y.integer, ElementsAre(1, 1));
  EXPECT_THAT(y.bound, ElementsAre(0, 1));
  const RefTensor picked =
      value_of({"Where"}, {y, f32({2}, {5, 5}), f32({2}, {7, 7})}, RefPrecision::kDoubleBounded);
  EXPECT_THAT(picked.bound, ElementsAre(0, 2));
}

TEST(ReferenceBound, IsInfiniteAcrossAPole) {
  RefTensor x = f32({2}, {0.1f, 1.0f});
  x.bound = {0.2, 0.2};
  const RefTensor y = value_of({"Reciprocal"}, {x}, RefPrecision::kDoubleBounded);
  EXPECT_EQ(y.bound[0], INFINITY);
  EXPECT_LT(y.bound[1], 0.26);
}

// Every function's naive float32 form must lie within its own bound.
TEST(ReferenceBound, HoldsForTheNaiveFloatForms) {
  std::vector<float> values;
  for (int i = -2000; i <= 2000; ++i) values.push_back((static_cast<float>(i) + 0.5f) * 0.0173f);
  const auto count = static_cast<std::int64_t>(values.size());
  for (const OneNode& node : std::vector<OneNode>{{"Relu"},
                                                  {"LeakyRelu"},
                                                  {"Elu"},
                                                  {"Sigmoid"},
                                                  {"Tanh"},
                                                  {"HardSigmoid"},
                                                  {"HardSwish"},
                                                  {"Softplus"},
                                                  {"Erf"},
                                                  {"Gelu"},
                                                  {"Gelu", {{"approximate", std::string("tanh")}}},
                                                  {"Exp"},
                                                  {"Reciprocal"},
                                                  {"Abs"},
                                                  {"Round"},
                                                  {"Softmax"},
                                                  {"LogSoftmax"}}) {
    const RefTensor x = f32({count}, values);
    const RefTensor exact = value_of(node, {x}, RefPrecision::kDoubleBounded);
    const RefTensor naive = value_of(node, {x}, RefPrecision::kNaive32);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double bound = exact.bound.empty() ? 0.0 : exact.bound[i];
      EXPECT_LE(std::fabs(exact.real[i] - naive.real[i]), bound)
          << node.type << " of " << values[i] << " is " << exact.real[i];
      if (std::isfinite(exact.real[i])) {
        EXPECT_LE(bound, 2e-5 * std::max(1.0, std::fabs(exact.real[i]))) << node.type << values[i];
      }
    }
  }
}

TEST(Reference, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(
      refusal_of({"NoSuch"}, {}),
      "error: node `n` (NoSuch): the reference does not know this operator [ref-unsupported]");
  EXPECT_FALSE(has_reference("", "NoSuch"));
  EXPECT_TRUE(has_reference("", "Conv"));
}

TEST(Reference, RefusesShapesThatDisagree) {
  EXPECT_EQ(refusal_of({"Conv"}, {counting({1, 3, 4, 4}), counting({2, 4, 1, 1})}),
            "error: node `n` (Conv): weight [2,4,1,1] does not fit input [1,3,4,4] in 1 groups "
            "[ref-unsupported]");
}

}  // namespace
}  // namespace frit::test

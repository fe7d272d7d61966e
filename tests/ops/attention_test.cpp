#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

using Values = std::vector<std::optional<Tensor>>;

Tensor f32(std::vector<std::int64_t> dims, const std::vector<float>& values) {
  return Tensor::f32(std::move(dims), values);
}
Tensor flags(std::vector<std::int64_t> dims, const std::vector<std::uint8_t>& values) {
  return Tensor::of(DType::kBool, std::move(dims), values);
}
Tensor zeros(std::vector<std::int64_t> dims) { return random_tensor(DType::kF32, dims, 0, 0, 0); }

/// One head of size 1 whose queries are 0: each output is the mean of the values that it sees.
Values mean_of_seen(std::int64_t queries, const std::vector<float>& values) {
  const auto keys = static_cast<std::int64_t>(values.size());
  return {zeros({1, 1, queries, 1}), zeros({1, 1, keys, 1}), f32({1, 1, keys, 1}, values)};
}

AttributeMap causal() { return {{"is_causal", std::int64_t{1}}}; }

void expect_values(const Tensor& got, const std::vector<double>& want) {
  EXPECT_EQ(difference(got, want, 1e-6, 1e-6), "");
}

TEST(Attention, TwoKeysByHand) {
  // scores 1 and 0 (scale 1/2 of 2 and 0): e/(1+e) of the first value
  const Tensor y =
      run_one(make_op("Attention", 23, {},
                      {f32({1, 1, 1, 4}, {1, 1, 0, 0}), f32({1, 1, 2, 4}, {1, 1, 0, 0, 0, 0, 1, 1}),
                       f32({1, 1, 2, 2}, {1, 10, 0, 20})}));
  const double first = std::exp(1.0) / (1.0 + std::exp(1.0));
  expect_values(y, {first, 10 * first + 20 * (1 - first)});
}

TEST(Attention, CausalRowsSeeTheirPrefix) {
  expect_values(run_one(make_op("Attention", 23, causal(), mean_of_seen(3, {3, 5, 10}))),
                {3, 4, 6});
}

TEST(Attention, CausalRowsAfterACacheSeeItAll) {
  Values inputs = mean_of_seen(2, {5, 10});
  inputs.insert(inputs.end(), {std::nullopt, zeros({1, 1, 1, 1}), f32({1, 1, 1, 1}, {3})});
  const auto outputs = run_op(make_op("Attention", 23, causal(), inputs));
  ASSERT_TRUE(outputs.has_value());
  expect_values(outputs->at(0), {4, 6});
  expect_values(outputs->at(2), {3, 5, 10});
}

TEST(Attention, LengthsOfCachesHidePaddingAndPlaceTheQueries) {
  Values inputs = mean_of_seen(2, {3, 5, 10, 1000});
  inputs.resize(6);
  inputs.push_back(Tensor::i64({1}, {3}));
  expect_values(run_one(make_op("Attention", 24, {}, inputs)), {6, 6});
  expect_values(run_one(make_op("Attention", 24, causal(), inputs)), {4, 6});
  inputs[6] = Tensor::i64({1}, {1});  // the first query stands before every key
  expect_values(run_one(make_op("Attention", 24, causal(), inputs)), {0, 3});
}

TEST(Attention, WindowsLimitBothSides) {
  const auto window = [](std::int64_t left, std::int64_t right) {
    return AttributeMap{{"left_window_size", left}, {"right_window_size", right}};
  };
  const Values inputs = mean_of_seen(3, {3, 5, 10});
  expect_values(run_one(make_op("Attention", 25, window(0, 1), inputs)), {4, 7.5, 10});
  expect_values(run_one(make_op("Attention", 25, window(1, -1), inputs)), {6, 6, 7.5});
  EXPECT_NE(refusal_of(make_op("Attention", 24, window(0, 1), inputs)).find("of opset 25"),
            std::string::npos);
}

TEST(Attention, ARowThatSeesNothingIsZero) {
  Values inputs = mean_of_seen(2, {3, 5});
  inputs.push_back(flags({2, 2}, {0, 0, 0, 1}));
  expect_values(run_one(make_op("Attention", 23, {}, inputs)), {0, 5});
  inputs[3] = f32({2, 2}, {-kInf, -kInf, 0, 0});
  expect_values(run_one(make_op("Attention", 23, {}, inputs)), {0, 4});
  inputs[0] = f32({1, 1, 2, 1}, {kInf, 0});  // its scores are inf * 0, and still it sees nothing
  expect_values(run_one(make_op("Attention", 23, {}, inputs)), {0, 4});
}

TEST(Attention, ScoresThatAreNaNStayWhereAKeyIsSeen) {
  Values inputs = mean_of_seen(2, {3, 5});
  inputs[0] = f32({1, 1, 2, 1}, {kNaN, 0});
  expect_values(run_one(make_op("Attention", 23, {}, inputs)), {kNaN, 4});
}

// Opset 23 broadcasts a last extent of 1 and takes no other; from 24 on it is lengthened with keys
// that are not seen.
TEST(Attention, ShortMasksByOpset) {
  Values inputs = mean_of_seen(1, {3, 5, 10});
  inputs.push_back(f32({1, 1}, {7}));
  expect_values(run_one(make_op("Attention", 23, {}, inputs)), {6});
  expect_values(run_one(make_op("Attention", 24, {}, inputs)), {3});
  inputs[3] = flags({1, 2}, {1, 1});
  EXPECT_NE(refusal_of(make_op("Attention", 23, {}, inputs)).find("must broadcast to [1,1,1,3]"),
            std::string::npos);
  expect_values(run_one(make_op("Attention", 24, {}, inputs)), {4});
}

TEST(Attention, IntegersOfAMaskAreAdded) {
  Values inputs = mean_of_seen(1, {3, 5});
  inputs.push_back(Tensor::i64({2}, {0, 1}));
  const double first = 1.0 / (1.0 + std::exp(1.0));
  expect_values(run_one(make_op("Attention", 23, {}, inputs)), {3 * first + 5 * (1 - first)});
}

TEST(Attention, ShowsScoresAtFourPlaces) {
  Values inputs = {f32({1, 1, 1, 1}, {2}), f32({1, 1, 2, 1}, {1, 3}), zeros({1, 1, 2, 1}),
                   flags({2}, {1, 0})};
  const double soft[] = {2 * std::tanh(1.0), 2 * std::tanh(3.0)};
  const std::vector<double> shown[] = {{2, 6}, {soft[0], soft[1]}, {soft[0], -kInf}, {1, 0}};
  for (std::int64_t mode = 0; mode < 4; ++mode) {
    const auto outputs = run_op(
        make_op("Attention", 23, {{"qk_matmul_output_mode", mode}, {"softcap", 2.0F}}, inputs));
    ASSERT_TRUE(outputs.has_value());
    expect_values(outputs->at(3), shown[mode]);
  }
}

Tensor noise(DType dtype, std::vector<std::int64_t> dims, unsigned seed) {
  return random_tensor(dtype, std::move(dims), -2, 2, seed);
}

TEST(Attention, AsTheReferenceOfPackedHeads) {
  for (const auto& [heads, groups, keys] : {std::array{4, 4, 7}, {6, 2, 17}}) {
    const AttributeMap packed = {{"q_num_heads", std::int64_t{heads}},
                                 {"kv_num_heads", std::int64_t{groups}},
                                 {"scale", 0.3F}};
    const DType f = DType::kF32;
    expect_as_reference(make_op("Attention", 23, packed,
                                {noise(f, {2, 5, heads * 3}, 1), noise(f, {2, keys, groups * 3}, 2),
                                 noise(f, {2, keys, groups * 8}, 3), noise(f, {5, keys}, 4)}));
  }
}

TEST(Attention, AsTheReferenceOfPlainHeads) {
  for (const auto& [heads, groups, keys] : {std::array{1, 1, 1}, {3, 1, 9}}) {
    const DType f = DType::kF32;
    expect_as_reference(make_op("Attention", 25, causal(),
                                {noise(f, {2, heads, 5, 3}, 1), noise(f, {2, groups, keys, 3}, 2),
                                 noise(f, {2, groups, keys, 9}, 3)}));
  }
}

TEST(Attention, AsTheReferenceInOtherTypes) {
  const auto inputs = [](DType dtype) {
    return Values{noise(dtype, {1, 2, 5, 8}, 1), noise(dtype, {1, 2, 5, 8}, 2),
                  noise(dtype, {1, 2, 5, 8}, 3)};
  };
  expect_as_reference(make_op("Attention", 24, causal(), inputs(DType::kBF16)));
  expect_as_reference(make_op("Attention", 24, {}, inputs(DType::kF64)));
  Values masked = inputs(DType::kF16);
  masked.push_back(flags({5}, {1, 0, 1, 1, 0}));
  expect_as_reference(make_op("Attention", 24, {{"softmax_precision", std::int64_t{1}}}, masked));
}

TEST(Attention, WithoutKeysIsZeroAndWithoutQueriesEmpty) {
  expect_values(run_one(make_op("Attention", 23, {},
                                {zeros({1, 2, 2, 3}), zeros({1, 2, 0, 3}), zeros({1, 2, 0, 1})})),
                {0, 0, 0, 0});
  EXPECT_EQ(run_one(make_op("Attention", 23, {},
                            {zeros({1, 2, 0, 3}), zeros({1, 2, 4, 3}), zeros({1, 2, 4, 1})}))
                .elements(),
            0);
}

TEST(Attention, RefusalsNameWhatDisagrees) {
  const auto says = [](const OpCase& test, const char* what) {
    EXPECT_NE(refusal_of(test).find(what), std::string::npos) << refusal_of(test);
  };
  const Tensor q = zeros({1, 4, 2, 3}), kv = zeros({1, 2, 5, 3});
  says(make_op("Attention", 23, {}, {q, zeros({1, 3, 5, 3}), zeros({1, 3, 5, 3})}),
       "4 query heads are no multiple of 3 key heads");
  says(make_op("Attention", 23, {}, {q, kv, zeros({1, 2, 6, 3})}), "V is f32[1,2,6,3]");
  says(make_op("Attention", 23, {}, {zeros({1, 2, 12}), zeros({1, 5, 6}), zeros({1, 5, 6})}),
       "need q_num_heads and kv_num_heads");
  says(make_op("Attention", 25, {{"q_num_heads", std::int64_t{4}}}, {q, kv, kv}),
       "leave the attribute out");
  says(make_op("Attention", 23, {{"scale", -1.0F}}, {q, kv, kv}), "scale is -1");
  says(make_op("Attention", 23, {{"softmax_precision", std::int64_t{7}}}, {q, kv, kv}),
       "softmax_precision is 7");
  says(make_op("Attention", 23, {}, {q, kv, kv, std::nullopt, kv}), "give both or neither");
}

}  // namespace
}  // namespace frit::test

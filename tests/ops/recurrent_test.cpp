#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using Dims = std::vector<std::int64_t>;
using Values = std::vector<std::optional<Tensor>>;

void expect_all(const OpCase& test, const std::vector<std::vector<double>>& want) {
  const auto outputs = run_op(test);
  ASSERT_TRUE(outputs.has_value());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(difference(outputs->at(i), want[i], 1e-6, 1e-6), "");
  }
}

TEST(CausalConvWithState, SeesThePastOnlyAndKeepsItsEnd) {
  const Tensor x = Tensor::f32({1, 1, 3}, {1, 2, 3}), w = Tensor::f32({1, 1, 2}, {10, 1});
  expect_all(make_op("CausalConvWithState", 27, {}, {x, w}), {{1, 12, 23}, {3}});
  expect_all(make_op("CausalConvWithState", 27, {},
                     {x, w, Tensor::f32({1}, {100}), Tensor::f32({1, 1, 1}, {5})}),
             {{151, 112, 123}, {3}});
}

TEST(CausalConvWithState, AShortInputLeavesPartOfTheOldState) {
  const Tensor w = Tensor::f32({1, 1, 4}, {0, 0, 0, 1});
  expect_all(
      make_op("CausalConvWithState", 27, {},
              {Tensor::f32({1, 1, 1}, {7}), w, std::nullopt, Tensor::f32({1, 1, 3}, {1, 2, 3})}),
      {{7}, {2, 3, 7}});
  expect_all(
      make_op("CausalConvWithState", 27, {},
              {Tensor::f32({1, 1, 0}, {}), w, std::nullopt, Tensor::f32({1, 1, 3}, {1, 2, 3})}),
      {{}, {1, 2, 3}});
}

TEST(CausalConvWithState, AsTheReference) {
  for (const DType dtype : {DType::kF32, DType::kBF16}) {
    for (const std::int64_t taps : {1, 4}) {
      const auto at = [&](Dims dims, unsigned seed) {
        return random_tensor(dtype, std::move(dims), -1, 1, seed);
      };
      const AttributeMap silu = {{"activation", std::string("silu")}};
      expect_as_reference(
          make_op("CausalConvWithState", 27, silu,
                  {at({2, 5, 9}, 1), at({5, 1, taps}, 2), at({5}, 3), at({2, 5, taps - 1}, 4)}));
    }
  }
}

AttributeMap rule(const char* name, std::int64_t queries = 1, std::int64_t heads = 1) {
  return {{"update_rule", std::string(name)},
          {"q_num_heads", queries},
          {"kv_num_heads", heads},
          {"scale", 1.0F}};
}

Tensor row(const std::vector<float>& values) {
  return Tensor::f32({1, static_cast<std::int64_t>(values.size()), 1}, values);
}

// One head of one number: the state is a running number.
TEST(LinearAttention, FourRulesOnNumbers) {
  const Tensor one = row({1, 1}), k = row({2, 3}), v = row({5, 7});
  const Tensor half = row({std::log(0.5F), std::log(0.5F)}), rate = row({1, 0.5F});
  expect_all(make_op("LinearAttention", 27, rule("linear"), {one, k, v}), {{10, 31}, {31}});
  expect_all(make_op("LinearAttention", 27, rule("gated"), {one, k, v, std::nullopt, half}),
             {{10, 26}, {26}});
  // 0.5 * 3 * (7 - 10 * 3) = -34.5
  expect_all(
      make_op("LinearAttention", 27, rule("delta"), {one, k, v, std::nullopt, std::nullopt, rate}),
      {{10, -24.5}, {-24.5}});
  // 5 + 0.5 * 3 * (7 - 5 * 3) = -7
  expect_all(
      make_op("LinearAttention", 27, rule("gated_delta"), {one, k, v, std::nullopt, half, rate}),
      {{10, -7}, {-7}});
}

TEST(LinearAttention, StartsFromAStateAndReturnsItInItsType) {
  const auto outputs = run_op(
      make_op("LinearAttention", 27, rule("linear"),
              {row({1}), row({2}), row({5}), random_tensor(DType::kF16, {1, 1, 1, 1}, 4, 4, 0)}));
  ASSERT_TRUE(outputs.has_value());
  EXPECT_EQ(difference(outputs->at(0), {14}, 0), "");
  EXPECT_EQ(outputs->at(1).dtype(), DType::kF16);
  EXPECT_EQ(difference(outputs->at(1), {14}, 0), "");
}

// Each token is a dozen nodes, compiled one by one here: few cases.
void expect_linear_as_reference(DType dtype, const char* name, std::int64_t gates,
                                std::int64_t rates) {
  const auto at = [&](std::int64_t last, double low, unsigned seed) {
    return random_tensor(dtype, {2, 2, last}, low, 0.5, seed);
  };
  Values inputs = {at(4 * 5, -0.5, 1), at(2 * 5, -0.5, 2), at(2 * 7, -0.5, 3),
                   random_tensor(DType::kF32, {2, 2, 5, 7}, -1, 1, 6)};
  inputs.resize(6);
  if (gates > 0) inputs[4] = at(gates, -1, 4);
  if (rates > 0) inputs[5] = at(rates, 0, 5);
  expect_as_reference(make_op("LinearAttention", 27, rule(name, 4, 2), inputs));
}

TEST(LinearAttention, AsTheReference) {
  expect_linear_as_reference(DType::kF32, "gated_delta", 10, 2);
  expect_linear_as_reference(DType::kF32, "linear", 0, 0);
}

TEST(LinearAttentionSlow, AsTheReferenceInHalves) {
  expect_linear_as_reference(DType::kF16, "gated", 2, 0);
  expect_linear_as_reference(DType::kBF16, "delta", 0, 1);
}

TEST(LinearAttention, WithoutTokensKeepsItsState) {
  const Tensor none = Tensor::f32({1, 0, 2}, {});
  expect_all(make_op("LinearAttention", 27, rule("linear"),
                     {none, none, none, Tensor::f32({1, 1, 2, 2}, {1, 2, 3, 4})}),
             {{}, {1, 2, 3, 4}});
}

TEST(LinearAttention, RefusesGatesThatItsRuleLacks) {
  const auto says = [](const OpCase& test, const char* what) {
    EXPECT_NE(refusal_of(test).find(what), std::string::npos) << refusal_of(test);
  };
  const Tensor x = row({1, 2});
  says(make_op("LinearAttention", 27, rule("gated"), {x, x, x}),
       "update_rule 'gated' needs decay, which is left out");
  says(make_op("LinearAttention", 27, rule("linear"), {x, x, x, std::nullopt, x}),
       "has no decay, which is given");
  says(make_op("LinearAttention", 27, rule("linear"),
               {row(std::vector<float>(300, 0)), row(std::vector<float>(300, 0)),
                row(std::vector<float>(300, 0))}),
       "300 tokens");
}

}  // namespace
}  // namespace frit::test

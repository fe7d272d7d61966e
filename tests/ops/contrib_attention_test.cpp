// Values are held against ONNX Runtime's by tests/oracle/contrib_test.py.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using Values = std::vector<std::optional<Tensor>>;

Tensor zeros(std::vector<std::int64_t> dims) { return random_tensor(DType::kF32, dims, 0, 0, 0); }
Tensor i32(std::vector<std::int64_t> dims, const std::vector<std::int32_t>& values) {
  return Tensor::of(DType::kI32, std::move(dims), values);
}

OpCase contrib(const std::string& type, AttributeMap attributes, Values values,
               const std::vector<std::size_t>& known = {}) {
  OpCase test = make_op(type, 1, std::move(attributes), std::move(values), known);
  test.op.domain = "com.microsoft";
  return test;
}

AttributeMap one_head() { return {{"num_heads", std::int64_t{1}}}; }

TEST(MultiHeadAttention, AHiddenKeyStillCountsWhereAllAre) {
  const Tensor v = Tensor::f32({1, 2, 1}, {3, 5});
  const auto y = [&](const std::vector<std::int32_t>& seen) {
    return run_one(
        contrib("MultiHeadAttention", one_head(),
                {zeros({1, 1, 1}), zeros({1, 2, 1}), v, std::nullopt, i32({1, 2}, seen)}));
  };
  EXPECT_EQ(difference(y({1, 0}), {3}, 1e-6), "");
  EXPECT_EQ(difference(y({0, 0}), {4}, 1e-6), "");
}

TEST(GroupQueryAttention, ATokenIsWrittenBehindItsCache) {
  AttributeMap attributes = one_head();
  attributes["kv_num_heads"] = std::int64_t{1};
  const auto outputs = run_op(
      contrib("GroupQueryAttention", attributes,
              {zeros({1, 1, 1}), zeros({1, 1, 1}), Tensor::f32({1, 1, 1}, {9}), zeros({1, 1, 4, 1}),
               Tensor::f32({1, 1, 4, 1}, {1, 2, NAN, NAN}), i32({1}, {2}), i32({1}, {3})},
              {6}));
  ASSERT_TRUE(outputs.has_value());
  EXPECT_EQ(difference(outputs->at(0), {4}, 1e-6), "");
  EXPECT_EQ(difference(outputs->at(2), {1, 2, 9, 0}, 0), "");
}

TEST(ContribAttention, RefusalsNameWhatIsNotBuilt) {
  const auto says = [](const OpCase& test, const char* what) {
    EXPECT_NE(refusal_of(test).find(what), std::string::npos) << refusal_of(test);
  };
  const Tensor x = zeros({1, 2, 4});
  says(contrib("MultiHeadAttention", one_head(), {x}), "packed inputs are not built");
  says(contrib("MultiHeadAttention", {}, {x, x, x}), "num_heads is 0");
  AttributeMap rotary = one_head();
  rotary["do_rotary"] = std::int64_t{1};
  says(contrib("Attention", rotary, {x, zeros({4, 12})}), "do_rotary is 1");
  says(contrib("Attention", one_head(), {x, zeros({4, 13})}), "are cut into [4,4,4]");
  AttributeMap groups = {{"num_heads", std::int64_t{2}}, {"kv_num_heads", std::int64_t{1}}};
  const Values chunk = {x,
                        zeros({1, 2, 2}),
                        zeros({1, 2, 2}),
                        std::nullopt,
                        std::nullopt,
                        i32({1}, {4}),
                        i32({1}, {5})};
  says(contrib("GroupQueryAttention", groups, chunk, {6}),
       "total_sequence_length is 5 and query has 2 tokens");
  says(contrib("GroupQueryAttention", groups, chunk), "total_sequence_length");
}

}  // namespace
}  // namespace frit::test

// Col2Im: overlaps by hand, strides, pads, dilations and ranks against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using Ints = std::vector<std::int64_t>;

OpCase col2im(const Tensor& x, const Ints& image, const Ints& block, AttributeMap attributes = {}) {
  const auto rank = static_cast<std::int64_t>(image.size());
  return make_op("Col2Im", 18, std::move(attributes),
                 {x, Tensor::i64({rank}, image), Tensor::i64({rank}, block)}, {1, 2});
}

TEST(Col2Im, OverlapsAdd) {
  // Blocks of 2 over an image of 3: the middle is covered twice.
  const Tensor x = Tensor::f32({1, 2, 2}, {1, 2, 10, 20});
  EXPECT_EQ(difference(run_one(col2im(x, {3}, {2})), {1, 12, 20}, 0), "");
}

TEST(Col2Im, AsTheReference) {
  const auto columns = [](const Ints& dims, DType dtype = DType::kF32) {
    return random_tensor(dtype, dims, -3, 3, 7);
  };
  expect_as_reference(col2im(columns({2, 8, 9}), {4, 4}, {2, 2}));
  expect_as_reference(col2im(columns({1, 9, 4}), {5, 5}, {3, 3}, {{"strides", Ints{2, 2}}}));
  expect_as_reference(col2im(columns({1, 4, 16}), {6, 5}, {2, 2}, {{"dilations", Ints{2, 1}}}));
  expect_as_reference(col2im(columns({2, 6, 18}), {5, 4}, {2, 3}, {{"pads", Ints{1, 0, 1, 1}}}));
  expect_as_reference(col2im(columns({1, 16, 12}), {3, 4, 3}, {2, 2, 2}));
  expect_as_reference(col2im(columns({1, 4, 9}, DType::kF16), {4, 4}, {2, 2}));
  expect_as_reference(col2im(columns({1, 4, 9}, DType::kI8), {4, 4}, {2, 2}));
  EXPECT_THAT(refusal_of(col2im(columns({1, 4, 8}), {4, 4}, {2, 2})),
              testing::HasSubstr("[n, channels * 4, 9]"));
}

}  // namespace
}  // namespace frit::test

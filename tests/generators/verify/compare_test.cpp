#include "generators/verify/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/reference_call.h"

namespace frit::test {
namespace {

RefTensor with_bound(RefTensor tensor, std::vector<double> bound) {
  tensor.bound = std::move(bound);
  return tensor;
}

TEST(Compare, AcceptsWhatIsWithinTheBound) {
  const Comparison result =
      compare_bounded(Tensor::f32({2}, {1.0f, 2.5f}), with_bound(f32({2}, {1, 2}), {0.0, 1.0}));
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.worst, 1);
  EXPECT_DOUBLE_EQ(result.worst_ratio, 0.5);
  EXPECT_DOUBLE_EQ(result.linf, 0.5);
  EXPECT_DOUBLE_EQ(result.l1, 0.25);
}

TEST(Compare, NamesTheWorstElement) {
  const Comparison result = compare_bounded(Tensor::f32({2, 2}, {1, 2, 3, 5}),
                                            with_bound(f32({2, 2}, {1, 2, 3, 4}), {0, 0, 0, 0.5}));
  EXPECT_FALSE(result.passed);
  EXPECT_EQ(to_text(result),
            "wrong, 1 of 4 elements, worst 2 of tolerance at [1,1]: 5 for 4 (tolerance 0.5), l1 "
            "0.25, linf 1, cos 0.9939991");
}

TEST(Compare, WantsTheSameKindOfNonNumber) {
  const RefTensor reference = f32({3}, {NAN, INFINITY, -INFINITY});
  EXPECT_TRUE(compare_bounded(Tensor::f32({3}, {NAN, INFINITY, -INFINITY}), reference).passed);
  EXPECT_EQ(compare_bounded(Tensor::f32({3}, {1, INFINITY, -INFINITY}), reference).mismatches, 1);
  EXPECT_EQ(compare_bounded(Tensor::f32({3}, {NAN, -INFINITY, -INFINITY}), reference).mismatches,
            1);
  EXPECT_EQ(compare_bounded(Tensor::f32({1}, {NAN}), f32({1}, {1})).mismatches, 1);
}

TEST(Compare, CountsWhatItCannotJudge) {
  const Comparison result =
      compare_bounded(Tensor::f32({1}, {NAN}), with_bound(f32({1}, {1}), {INFINITY}));
  EXPECT_TRUE(result.passed);
  EXPECT_EQ(result.unjudged, 1);
}

TEST(Compare, IntegersMustBeEqual) {
  EXPECT_TRUE(compare_bounded(Tensor::i64({1}, {7}), i64({1}, {7})).passed);
  EXPECT_FALSE(compare_bounded(Tensor::i64({1}, {7}), i64({1}, {8})).passed);
}

TEST(Compare, SaysWhenTypesDiffer) {
  EXPECT_EQ(to_text(compare_bounded(Tensor::f32({1}, {7}), i64({2}, {8, 9}))),
            "wrong: the result is f32[1] but the reference is i64[2]");
}

TEST(Compare, AModelMayBeTwiceAsFarAsTheNaiveFloatEvaluation) {
  const RefTensor reference = f32({2}, {1.0f, 100.0f});
  const RefTensor naive = f32({2}, {1.5f, 100.0f});
  EXPECT_TRUE(compare_model(Tensor::f32({2}, {2.0f, 99.0f}), reference, naive, nullptr).passed);
  EXPECT_FALSE(compare_model(Tensor::f32({2}, {2.1f, 99.0f}), reference, naive, nullptr).passed);
  const Tensor ort = Tensor::f32({2}, {1.0f, 102.0f});
  EXPECT_TRUE(compare_model(Tensor::f32({2}, {5.0f, 99.0f}), reference, naive, &ort).passed);
}

}  // namespace
}  // namespace frit::test

// Det: values by hand, pivots, sizes and batches against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

OpCase det(const std::vector<std::int64_t>& dims, DType dtype = DType::kF32) {
  return make_op("Det", 22, {}, {random_tensor(dtype, dims, -2, 2, 11)});
}

TEST(Det, ByHand) {
  const auto run = [](std::vector<std::int64_t> dims, const std::vector<float>& values) {
    return run_one(make_op("Det", 11, {}, {Tensor::f32(std::move(dims), values)}));
  };
  EXPECT_EQ(difference(run({2, 2}, {0, 2, 3, 4}), {-6}, 1e-6), "");
  EXPECT_EQ(difference(run({1, 1}, {-7}), {-7}, 0), "");
  EXPECT_EQ(difference(run({3, 3}, {0, 0, 1, 1, 0, 0, 0, 1, 0}), {1}, 0), "");
  EXPECT_EQ(difference(run({2, 2}, {1, 2, 2, 4}), {0}, 0), "");
  EXPECT_EQ(difference(run({3, 3}, {0, 1, 2, 0, 3, 4, 0, 5, 6}), {0}, 0), "");
  EXPECT_EQ(difference(run({2, 0, 0}, {}), {1, 1}, 0), "");
}

TEST(Det, AsTheReference) {
  expect_as_reference(det({5, 5}));
  expect_as_reference(det({3, 2, 7, 7}));
  expect_as_reference(det({17, 3, 3}));
  expect_as_reference(det({1, 31, 31}));
  expect_as_reference(det({2, 4, 4}, DType::kF64));
  expect_as_reference(det({2, 4, 4}, DType::kF16));
  expect_as_reference(det({0, 4, 4}));
  EXPECT_THAT(refusal_of(det({3, 4})), testing::HasSubstr("square"));
}

}  // namespace
}  // namespace frit::test

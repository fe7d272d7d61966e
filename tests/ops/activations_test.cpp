#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

TEST(Activations, CeluOfThreePoints) {
  const Tensor y = run_one(make_op("Celu", 12, {{"alpha", 2.0F}}, {Tensor::f32({3}, {-2, 0, 3})}));
  EXPECT_EQ(difference(y, {2 * (std::exp(-1.0) - 1), 0, 3}, 1e-6), "");
}

TEST(Activations, AsTheReference) {
  expect_as_reference(
      make_op("Celu", 12, {{"alpha", 0.7F}}, {random_tensor(DType::kF32, {3, 17}, -9, 9, 1)}));
}

}  // namespace
}  // namespace frit::test

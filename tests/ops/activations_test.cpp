#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(Activations, CeluOfThreePoints) {
  const Tensor y = run_one(make_op("Celu", 12, {{"alpha", 2.0F}}, {Tensor::f32({3}, {-2, 0, 3})}));
  EXPECT_EQ(difference(y, {2 * (std::exp(-1.0) - 1), 0, 3}, 1e-6), "");
}

TEST(Activations, ShrinkMovesWhatIsOutsideTheBand) {
  const AttributeMap attributes = {{"bias", 1.5F}, {"lambd", 1.5F}};
  const Tensor x = Tensor::f32({6}, {-2, -1.5F, 0, 1.5F, 2, kNaN});
  EXPECT_EQ(difference(run_one(make_op("Shrink", 9, attributes, {x})), {-0.5, 0, 0, 0, 0.5, 0}, 0),
            "");
  const Tensor whole = Tensor::of<std::int8_t>(DType::kI8, {4}, {-4, -1, 1, 5});
  EXPECT_EQ(run_one(make_op("Shrink", 9, attributes, {whole})).to_ints(),
            (std::vector<std::int64_t>{-2, 0, 0, 3}));
}

TEST(Activations, ThresholdedReluKeepsWhatIsAbove) {
  const Tensor x = Tensor::f32({4}, {2, 2.5F, -3, kNaN});
  const Tensor y = run_one(make_op("ThresholdedRelu", 10, {{"alpha", 2.0F}}, {x}));
  EXPECT_EQ(difference(y, {0, 2.5, 0, 0}, 0), "");
}

TEST(Activations, MishAndSwishOfLargeArguments) {
  const Tensor x = Tensor::f32({4}, {100, -100, kInf, kNaN});
  EXPECT_EQ(difference(run_one(make_op("Mish", 18, {}, {x})),
                       {100, -100 * std::exp(-100.0), kInf, kNaN}, 1e-6, 1e-37),
            "");
  EXPECT_EQ(difference(run_one(make_op("Swish", 24, {}, {x})), {100, 0, kInf, kNaN}, 1e-6, 1e-37),
            "");
}

TEST(Activations, MishOfTheLargestNumberIsIt) {
  for (const std::int64_t n : {1, 4, 17}) {
    const std::vector<float> x(static_cast<std::size_t>(n), 3.0e38F);
    const Tensor y = run_one(make_op("Mish", 18, {}, {Tensor::f32({n}, x)}));
    EXPECT_EQ(difference(y, std::vector<double>(x.begin(), x.end()), 1e-6), "");
  }
}

TEST(Activations, PReluBroadcastsItsSlopeOneWay) {
  const Tensor x = Tensor::f32({1, 2, 2}, {-1, 1, -2, 2});
  const Tensor y = run_one(make_op("PRelu", 16, {}, {x, Tensor::f32({2, 1}, {0.5F, 3})}));
  EXPECT_EQ(difference(y, {-0.5, 1, -6, 2}, 0), "");
  const Tensor slope = Tensor::f32({3, 2, 2}, std::vector<float>(12, 1));
  EXPECT_NE(refusal_of(make_op("PRelu", 16, {}, {x, slope})).find("enlarge"), std::string::npos);
}

TEST(Activations, AsTheReference) {
  for (const char* type :
       {"Celu", "Mish", "Selu", "Shrink", "Softsign", "Swish", "ThresholdedRelu"}) {
    for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) {
      expect_as_reference(make_op(type, 28, {}, {random_tensor(dtype, {3, 17}, -9, 9, 1)}));
    }
    expect_as_reference(
        make_op(type, 28, {}, {Tensor::f32({6}, {kNaN, kInf, -kInf, 0, -0.0F, 1})}));
    expect_as_reference(make_op(type, 28, {}, {random_tensor(DType::kF32, {2, 0}, -9, 9, 1)}));
  }
  const auto random = [](DType dtype, std::vector<std::int64_t> dims, unsigned seed) {
    return random_tensor(dtype, std::move(dims), -9, 9, seed);
  };
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kI32}) {
    expect_as_reference(
        make_op("PRelu", 16, {}, {random(dtype, {2, 3, 17}, 1), random(dtype, {3, 1}, 2)}));
  }
  expect_as_reference(make_op("SwiGLU", 28, {{"alpha", 0.7F}},
                              {random(DType::kF32, {5, 7}, 1), random(DType::kF32, {5, 7}, 2)}));
  OpCase quick = make_op("QuickGelu", 1, {}, {random(DType::kF32, {33}, 1)});
  quick.op.domain = "com.microsoft";
  expect_as_reference(quick);
}

}  // namespace
}  // namespace frit::test

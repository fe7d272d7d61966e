#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(Elementary, SinOfAHugeArgumentIsReducedExactly) {
  const std::vector<float> at = {1e5F, 3.0e38F, -1.2345e20F, 6.2831855F, 11.0F};
  const Tensor y = run_one(make_op("Sin", 7, {}, {Tensor::f32({5}, at)}));
  std::vector<double> want;
  for (const float x : at) want.push_back(std::sin(static_cast<double>(x)));
  EXPECT_EQ(difference(y, want, 3e-7), "");
}

TEST(Elementary, InversesOutsideTheirDomainAreNaN) {
  const Tensor x = Tensor::f32({3}, {2.0F, -2.0F, kNaN});
  for (const char* type : {"Acos", "Asin", "Atanh"}) {
    EXPECT_EQ(difference(run_one(make_op(type, 22, {}, {x})), {kNaN, kNaN, kNaN}, 0), "") << type;
  }
  const Tensor y = run_one(make_op("Acosh", 22, {}, {Tensor::f32({3}, {0.5F, 1.0F, kInf})}));
  EXPECT_EQ(difference(y, {kNaN, 0, kInf}, 0), "");
}

TEST(ElementarySlow, AsTheReferenceInEveryType) {
  const std::pair<const char*, double> all[] = {
      {"Acos", 1}, {"Asin", 1}, {"Asinh", 1e4}, {"Atan", 50}, {"Atanh", 0.99},
      {"Cos", 99}, {"Cosh", 9}, {"Sin", 99},    {"Sinh", 9},  {"Tan", 99}};
  for (const auto& [type, range] : all) {
    for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) {
      expect_as_reference(make_op(type, 22, {}, {random_tensor(dtype, {3, 17}, -range, range, 1)}));
    }
    expect_as_reference(make_op(type, 22, {}, {random_tensor(DType::kF32, {0, 3}, -1, 1, 1)}));
    expect_as_reference(make_op(type, 22, {}, {Tensor::f32({}, {0.25F})}));
  }
  expect_as_reference(make_op("Acosh", 22, {}, {random_tensor(DType::kF32, {31}, 1, 9, 1)}));
}

TEST(Elementary, IsInfLooksForTheSignsAsked) {
  const Tensor x = Tensor::f32({4}, {kInf, -kInf, kNaN, 1});
  const auto found = [&](AttributeMap attributes) {
    return run_one(make_op("IsInf", 10, std::move(attributes), {x})).to_ints();
  };
  using Ints = std::vector<std::int64_t>;
  EXPECT_EQ(found({}), (Ints{1, 1, 0, 0}));
  EXPECT_EQ(found({{"detect_negative", std::int64_t{0}}}), (Ints{1, 0, 0, 0}));
  EXPECT_EQ(found({{"detect_positive", std::int64_t{0}}}), (Ints{0, 1, 0, 0}));
  EXPECT_EQ(run_one(make_op("IsNaN", 9, {}, {x})).to_ints(), (Ints{0, 0, 1, 0}));
}

}  // namespace
}  // namespace frit::test

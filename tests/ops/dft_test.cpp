// DFT and STFT: values by hand, lengths of every kind against the reference, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

using testing::HasSubstr;
using Ints = std::vector<std::int64_t>;

std::optional<Tensor> number(std::int64_t value) { return Tensor::i64({}, {value}); }

OpCase dft(const Ints& dims, std::optional<std::int64_t> length, std::int64_t axis,
           AttributeMap attributes = {}, DType dtype = DType::kF32) {
  const Tensor x = random_tensor(dtype, dims, -2, 2, 3);
  return make_op("DFT", 20, std::move(attributes),
                 {x, length ? number(*length) : std::nullopt, number(axis)}, {1, 2});
}

AttributeMap flags(std::int64_t inverse, std::int64_t onesided) {
  return {{"inverse", inverse}, {"onesided", onesided}};
}

TEST(Dft, OfFourByHand) {
  const Tensor x = Tensor::f32({1, 4, 1}, {1, 2, 3, 5});
  const auto run = [&](int opset, AttributeMap attributes) {
    return run_one(make_op("DFT", opset, std::move(attributes), {x}));
  };
  EXPECT_EQ(difference(run(17, {}), {11, 0, -2, 3, -3, 0, -2, -3}, 1e-6), "");
  EXPECT_EQ(difference(run(20, flags(0, 1)), {11, 0, -2, 3, -3, 0}, 1e-6), "");
  EXPECT_EQ(difference(run(20, flags(1, 0)), {2.75, 0, -0.5, -0.75, -0.75, 0, -0.5, 0.75}, 1e-6),
            "");
}

TEST(Dft, InverseOfHalfASpectrumIsTheRealSignal) {
  const Tensor half = Tensor::f32({1, 3, 2}, {11, 0, -2, 3, -3, 0});
  EXPECT_EQ(difference(run_one(make_op("DFT", 20, flags(1, 1), {half})), {1, 2, 3, 5}, 1e-6), "");
}

TEST(DftSlow, AnyLengthAsTheReference) {
  for (const std::int64_t n : {1, 31, 72, 131}) {
    SCOPED_TRACE(n);
    expect_as_reference(dft({2, n, 2}, std::nullopt, 1));
  }
  expect_as_reference(dft({3, 51, 2}, std::nullopt, 1, flags(1, 1)));
  expect_as_reference(dft({3, 51, 2}, 99, 1, flags(1, 1)));
}

TEST(Dft, AxesLengthsAndTypesAsTheReference) {
  expect_as_reference(dft({5, 3, 7, 2}, 4, -3));
  expect_as_reference(dft({5, 3, 7, 1}, 10, 2, flags(0, 1)));
  expect_as_reference(dft({5, 2}, 3, 0));
  expect_as_reference(dft({0, 3, 2}, std::nullopt, 1));
  expect_as_reference(dft({2, 17, 2}, std::nullopt, 1, {}, DType::kF64));
  expect_as_reference(dft({2, 17, 2}, std::nullopt, 1, {}, DType::kF16));
}

TEST(Dft, Refuses) {
  EXPECT_THAT(refusal_of(dft({2, 5, 3}, std::nullopt, 1)), HasSubstr("1 (real) or 2"));
  EXPECT_THAT(refusal_of(dft({2, 5, 2}, std::nullopt, 2)), HasSubstr("axis is 2"));
  EXPECT_THAT(refusal_of(dft({2, 5, 2}, 0, 1)), HasSubstr("dft_length is 0"));
  EXPECT_THAT(refusal_of(dft({2, 5, 2}, std::nullopt, 1, flags(0, 1))), HasSubstr("onesided is 1"));
}

OpCase stft(const Ints& dims, std::int64_t step, std::optional<std::int64_t> window,
            std::optional<std::int64_t> length, AttributeMap attributes = {}) {
  std::vector<std::optional<Tensor>> values = {random_tensor(DType::kF32, dims, -2, 2, 3),
                                               number(step)};
  values.push_back(window ? std::optional(random_tensor(DType::kF32, {*window}, 0, 1, 4))
                          : std::nullopt);
  values.push_back(length ? number(*length) : std::nullopt);
  return make_op("STFT", 17, std::move(attributes), std::move(values), {1, 3});
}

TEST(Stft, AsTheReference) {
  expect_as_reference(stft({2, 129, 1}, 7, 16, std::nullopt));
  expect_as_reference(stft({1, 40, 2}, 3, 9, std::nullopt, {{"onesided", std::int64_t{0}}}));
}

TEST(Stft, Refuses) {
  EXPECT_THAT(refusal_of(stft({1, 40, 2}, 3, 9, std::nullopt)), HasSubstr("complex"));
  EXPECT_THAT(refusal_of(stft({1, 40, 1}, 3, 9, 10)), HasSubstr("frame_length is 10"));
  EXPECT_THAT(refusal_of(stft({1, 40, 1}, 0, 9, 9)), HasSubstr("frame_step is 0"));
}

}  // namespace
}  // namespace frit::test

// Max, Min, Sum and Mean of one, two and many inputs.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::vector<std::optional<Tensor>> three() {
  return {Tensor::f32({2, 1}, {1, -2}), Tensor::f32({3}, {0, 4, kNaN}), Tensor::f32({}, {3})};
}

TEST(Variadic, OfThreeThatBroadcast) {
  EXPECT_EQ(difference(run_one(make_op("Max", 13, {}, three())), {3, 4, kNaN, 3, 4, kNaN}, 0), "");
  EXPECT_EQ(difference(run_one(make_op("Min", 13, {}, three())), {0, 1, kNaN, -2, -2, kNaN}, 0),
            "");
  EXPECT_EQ(difference(run_one(make_op("Sum", 13, {}, three())), {4, 8, kNaN, 1, 5, kNaN}, 0), "");
  EXPECT_EQ(difference(run_one(make_op("Mean", 13, {}, three())),
                       {4.0 / 3, 8.0 / 3, kNaN, 1.0 / 3, 5.0 / 3, kNaN}, 1e-7),
            "");
}

TEST(Variadic, AsTheReference) {
  for (const char* type : {"Max", "Mean", "Min", "Sum"}) {
    for (const DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16}) {
      const Tensor x = random_tensor(dtype, {5, 17}, -9, 9, 1);
      const Tensor y = random_tensor(dtype, {17}, -9, 9, 2);
      const Tensor z = random_tensor(dtype, {2, 5, 1}, -9, 9, 3);
      expect_as_reference(make_op(type, 13, {}, {x}));
      expect_as_reference(make_op(type, 13, {}, {x, y}));
      expect_as_reference(make_op(type, 13, {}, {x, y, z, y}));
    }
    const Tensor none = random_tensor(DType::kF32, {0, 3}, -9, 9, 1);
    expect_as_reference(make_op(type, 8, {}, {none, none, Tensor::f32({3}, {1, 2, 3})}));
  }
  const Tensor whole = random_tensor(DType::kI8, {9}, -99, 99, 1);
  expect_as_reference(make_op("Max", 13, {}, {whole, whole, whole}));
}

TEST(Variadic, Refusals) {
  const Tensor x = Tensor::f32({2}, {1, 2});
  EXPECT_EQ(refusal_of(make_op("Sum", 13, {}, {})),
            "Sum 'node' has 0 inputs but takes 1 to 1024; the model is not valid ONNX [onnx-type]");
  EXPECT_EQ(refusal_of(make_op("Mean", 13, {}, {Tensor::scalar(DType::kI32, 1)})).substr(0, 37),
            "Mean 'node': its first input is i32 b");
  EXPECT_EQ(refusal_of(make_op("Max", 13, {}, std::vector<std::optional<Tensor>>(2000, x))),
            "Max 'node' has 2000 inputs but frit takes at most 1024; split it in several "
            "[onnx-too-large]");
}

}  // namespace
}  // namespace frit::test

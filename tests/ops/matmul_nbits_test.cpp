// MatMulNBits: a product by hand, every storage against the reference, refusals.
#include <gtest/gtest.h>

#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

AttributeMap sizes(std::int64_t k, std::int64_t n, std::int64_t bits, std::int64_t block) {
  return {{"K", k}, {"N", n}, {"bits", bits}, {"block_size", block}};
}

OpCase nbits(AttributeMap attributes, std::vector<std::optional<Tensor>> inputs) {
  OpCase test = make_op("MatMulNBits", 1, std::move(attributes), std::move(inputs));
  test.op.domain = "com.microsoft";
  return test;
}

TEST(MatMulNBits, LowBitsComeFirst) {
  // Codes 9 and 5 in one byte, zero point 8, scale 2: w = 2 and -6; the rest is 8, i.e. 0.
  std::vector<std::uint8_t> codes(8, 0x88);
  codes[0] = 0x59;
  std::vector<float> a(16, 1.0F);
  a[0] = 10;
  const Tensor b = Tensor::of(DType::kU8, {1, 1, 8}, codes);
  const auto run = [&](std::vector<std::optional<Tensor>> inputs) {
    return run_one(nbits(sizes(16, 1, 4, 16), std::move(inputs)));
  };
  const Tensor x = Tensor::f32({1, 16}, a), scale = Tensor::f32({1}, {2});
  EXPECT_EQ(difference(run({x, b, scale}), {20 - 6}, 0), "");
  // Zero point 9 in the low half of a byte: w = 0, -8 and 14 of -2.
  const Tensor nine = Tensor::of<std::uint8_t>(DType::kU8, {1}, {0xF9});
  EXPECT_EQ(difference(run({x, b, scale, nine}), {-8 - 28}, 0), "");
}

TEST(MatMulNBitsSlow, EveryStorageAsTheReference) {
  for (const std::int64_t bits : {2, 4, 8}) {
    for (const std::int64_t k : {16, 35, 96}) {
      const std::int64_t n = 19, block = 32, blocks = (k + block - 1) / block;
      const Tensor a = random_tensor(DType::kF32, {2, 3, k}, -1, 1, 1);
      const Tensor b = random_tensor(DType::kU8, {n, blocks, block * bits / 8}, 0, 255, 2);
      const Tensor scale = random_tensor(DType::kF32, {n * blocks}, 0.1, 1, 3);
      const Tensor packed = random_tensor(DType::kU8, {n * ((blocks * bits + 7) / 8)}, 0, 255, 4);
      const Tensor floats = random_tensor(DType::kF32, {n, blocks}, 0, 8, 5);
      const Tensor bias = random_tensor(DType::kF32, {n}, -1, 1, 6);
      const Tensor groups = random_tensor(DType::kI32, {k}, 0, static_cast<double>(blocks - 1), 7);
      const AttributeMap attributes = sizes(k, n, bits, block);
      expect_as_reference(nbits(attributes, {a, b, scale}));
      expect_as_reference(nbits(attributes, {a, b, scale, packed, {}, bias}));
      expect_as_reference(nbits(attributes, {a, b, scale, floats}));
      expect_as_reference(nbits(attributes, {a, b, scale, packed, groups, bias}));
    }
  }
}

TEST(MatMulNBits, OfEveryTypeAsTheReference) {
  const AttributeMap attributes = sizes(40, 7, 4, 16);
  const Tensor b = random_tensor(DType::kU8, {7, 3, 8}, 0, 255, 2);
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    expect_as_reference(nbits(attributes, {random_tensor(dtype, {5, 40}, -1, 1, 1), b,
                                           random_tensor(dtype, {7, 3}, 0.1, 1, 3)}));
  }
}

TEST(MatMulNBits, Refusals) {
  const Tensor a = Tensor::f32({1, 16}, std::vector<float>(16, 1.0F));
  const Tensor b = Tensor::of(DType::kU8, {1, 1, 8}, std::vector<std::uint8_t>(8, 0));
  const Tensor scale = Tensor::f32({1}, {2});
  EXPECT_EQ(refusal_of(nbits(sizes(16, 1, 3, 16), {a, b, scale})),
            "MatMulNBits 'node': K, N, bits and block_size are 16, 1, 3 and 16 but must be "
            "positive, bits 2, 4 or 8, and block_size a power of 2 from 16 on; correct the "
            "attributes [onnx-attribute]");
  EXPECT_EQ(refusal_of(nbits(sizes(16, 2, 4, 16), {a, b, scale})),
            "MatMulNBits 'node': input 1 is u8[1,1,8] but K, N, bits and block_size ask for 16 "
            "elements; correct the model [onnx-shape]");
}

}  // namespace
}  // namespace frit::test

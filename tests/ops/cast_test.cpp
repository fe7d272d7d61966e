#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ops/base/small_float.h"
#include "tests/support/against_reference.h"

namespace frit::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Tensor cast(const Tensor& x, DType to, AttributeMap attributes = {}) {
  attributes["to"] = onnx_number(to);
  return run_one(make_op("Cast", 28, std::move(attributes), {x}));
}

std::vector<int> bytes_of(const Tensor& tensor) {
  std::vector<int> bytes;
  for (const std::byte byte : tensor.bytes()) bytes.push_back(std::to_integer<int>(byte));
  return bytes;
}

// The columns of ONNX's first table: 0, -0, NaN, inf, -inf, a value too large, one to round.
const Tensor kTable = Tensor::f32({8}, {0, -0.0F, kNaN, kInf, -kInf, 1e6F, -1e6F, 0.72F});

TEST(Cast, ToFloat8SaturatesAsTheTableSays) {
  using Bytes = std::vector<int>;
  EXPECT_EQ(bytes_of(cast(kTable, DType::kF8E4M3FN)),
            (Bytes{0, 0x80, 0x7F, 0x7E, 0xFE, 0x7E, 0xFE, 0x34}));
  EXPECT_EQ(bytes_of(cast(kTable, DType::kF8E4M3FNUZ)),
            (Bytes{0, 0, 0x80, 0x7F, 0xFF, 0x7F, 0xFF, 0x3C}));
  EXPECT_EQ(bytes_of(cast(kTable, DType::kF8E5M2)),
            (Bytes{0, 0x80, 0x7E, 0x7B, 0xFB, 0x7B, 0xFB, 0x3A}));
  EXPECT_EQ(bytes_of(cast(kTable, DType::kF8E5M2FNUZ)),
            (Bytes{0, 0, 0x80, 0x7F, 0xFF, 0x7F, 0xFF, 0x3E}));
}

TEST(Cast, ToFloat8WithoutSaturationGivesInfOrNaN) {
  using Bytes = std::vector<int>;
  const AttributeMap open = {{"saturate", std::int64_t{0}}};
  EXPECT_EQ(bytes_of(cast(kTable, DType::kF8E4M3FN, open)),
            (Bytes{0, 0x80, 0x7F, 0x7F, 0xFF, 0x7F, 0xFF, 0x34}));
  EXPECT_EQ(bytes_of(cast(kTable, DType::kF8E5M2, open)),
            (Bytes{0, 0x80, 0x7E, 0x7C, 0xFC, 0x7C, 0xFC, 0x3A}));
  EXPECT_EQ(bytes_of(cast(kTable, DType::kF8E4M3FNUZ, open)),
            (Bytes{0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x3C}));
}

TEST(Cast, ToFloat4And6KeepsToTheirRange) {
  EXPECT_EQ(difference(cast(Tensor::f32({6}, {0.25F, 0.75F, -8, kInf, 2.5F, 5}), DType::kF4E2M1),
                       {0, 1, -6, 6, 2, 4}, 0),
            "");
  EXPECT_EQ(difference(cast(Tensor::f32({3}, {7.8F, 0.07F, -1.06F}), DType::kF6E2M3),
                       {7.5, 0.125, -1}, 0),
            "");
  EXPECT_EQ(
      difference(cast(Tensor::f32({3}, {100, 0.05F, -9}), DType::kF6E3M2), {28, 0.0625, -8}, 0),
      "");
}

TEST(Cast, ToExponentsRoundsAsAsked) {
  const Tensor x = Tensor::f32({5}, {0, 0.124F, 1.1F, 1.5F, kInf});
  using Bytes = std::vector<int>;
  EXPECT_EQ(bytes_of(cast(x, DType::kF8E8M0)), (Bytes{0, 124, 128, 128, 254}));
  EXPECT_EQ(bytes_of(cast(x, DType::kF8E8M0, {{"round_mode", std::string("down")}})),
            (Bytes{0, 123, 127, 127, 254}));
  EXPECT_EQ(bytes_of(cast(x, DType::kF8E8M0,
                          {{"round_mode", std::string("nearest")}, {"saturate", std::int64_t{0}}})),
            (Bytes{255, 124, 127, 128, 255}));
}

TEST(Cast, ToFourBitsKeepsTheLowOnes) {
  const Tensor x = Tensor::f32({6}, {-9, -8, -1.7F, 7, 8, 15});
  EXPECT_EQ(cast(x, DType::kI4).to_ints(), (std::vector<std::int64_t>{7, -8, -1, 7, -8, -1}));
  EXPECT_EQ(cast(x, DType::kU4).to_ints(), (std::vector<std::int64_t>{7, 8, 15, 7, 8, 15}));
  EXPECT_EQ(cast(Tensor::i64({3}, {2, -3, 1}), DType::kI2).to_ints(),
            (std::vector<std::int64_t>{-2, 1, 1}));
  EXPECT_EQ(cast(Tensor::i64({3}, {2, -3, 7}), DType::kU2).to_ints(),
            (std::vector<std::int64_t>{2, 1, 3}));
}

TEST(Cast, EveryCodeComesBack) {
  for (int i = 0; i <= static_cast<int>(DType::kU2); ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!is_small_float(dtype)) continue;
    std::vector<std::uint8_t> codes(std::size_t{1} << packed_bits(dtype));
    for (std::size_t c = 0; c < codes.size(); ++c) codes[c] = static_cast<std::uint8_t>(c);
    const auto count = static_cast<std::int64_t>(codes.size());
    const Tensor x = Tensor::of(dtype, {count}, codes);
    const Tensor wide = cast(x, DType::kF32);
    EXPECT_EQ(difference(wide, x.to_doubles(), 0), "") << name_of(dtype);
    const Tensor back = cast(wide, dtype, {{"saturate", std::int64_t{0}}});
    EXPECT_EQ(difference(back, x.to_doubles(), 0), "") << name_of(dtype);
  }
}

TEST(CastSlow, AsTheReferenceFromEveryType) {
  for (int from = 0; from <= static_cast<int>(DType::kU2); ++from) {
    const auto source = static_cast<DType>(from);
    const bool bits = packed_bits(source) < 8 && !is_float(source);
    const double high = bits ? (1 << (packed_bits(source) - 1)) - 1 : 90;
    const Tensor x = random_tensor(source, {3, 11}, source == DType::kU64 ? 0 : -high, high, 7);
    for (int i = 0; i <= static_cast<int>(DType::kU2); ++i) {
      const auto to = static_cast<DType>(i);
      if ((from + 2 * i) % 7 != 0 && source != DType::kF32)
        continue;  // a sample: 625 pairs are many
      SCOPED_TRACE(std::string(name_of(source)) + " to " + std::string(name_of(to)));
      expect_as_reference(make_op("Cast", 28, {{"to", onnx_number(to)}}, {x}));
    }
  }
}

TEST(Cast, OfDoubleRoundsOnce) {
  // just above a tie: by way of float32 it would be the tie, which goes down to even
  const double x = 1.0625 * (1.0 + 0x1p-40);
  EXPECT_EQ(
      difference(cast(Tensor::of<double>(DType::kF64, {1}, {x}), DType::kF8E4M3FN), {1.125}, 0),
      "");
}

TEST(Cast, RefusesUnknownTypesAndModes) {
  EXPECT_NE(refusal_of(make_op("Cast", 28, {{"to", std::int64_t{8}}}, {kTable})), "");
  EXPECT_NE(
      refusal_of(make_op("Cast", 28, {{"to", std::int64_t{24}}, {"round_mode", std::string("odd")}},
                         {kTable})),
      "");
}

TEST(CastLike, TakesTheTypeOfItsSecondInput) {
  const Tensor like = Tensor::of<std::int8_t>(DType::kI4, {0}, {});
  const Tensor y = run_one(make_op("CastLike", 25, {}, {Tensor::f32({2}, {-2.5F, 3}), like}));
  EXPECT_EQ(y.dtype(), DType::kI4);
  EXPECT_EQ(y.to_ints(), (std::vector<std::int64_t>{-2, 3}));
}

// Operators that move elements carry what they do not compute with.
TEST(StorageTypes, MoveAsTheyAre) {
  for (const DType dtype :
       {DType::kF8E4M3FN, DType::kF8E8M0, DType::kF4E2M1, DType::kI4, DType::kU2}) {
    SCOPED_TRACE(name_of(dtype));
    const Tensor x = random_tensor(dtype, {2, 3, 5}, 0, 3, 1), one = Tensor::scalar(dtype, 1);
    using Ints = std::vector<std::int64_t>;
    expect_as_reference(make_op("Identity", 25, {}, {x}));
    expect_as_reference(make_op("Transpose", 25, {{"perm", Ints{2, 0, 1}}}, {x}));
    expect_as_reference(make_op("Concat", 13, {{"axis", std::int64_t{1}}}, {x, x}));
    expect_as_reference(make_op("Reshape", 25, {}, {x, Tensor::i64({1}, {30})}, {1}));
    expect_as_reference(make_op(
        "Slice", 13, {}, {x, Tensor::i64({1}, {1}), Tensor::i64({1}, {9}), Tensor::i64({1}, {2})},
        {1, 2, 3}));
    expect_as_reference(
        make_op("Pad", 25, {}, {x, Tensor::i64({6}, {0, 1, 2, 1, 0, 0}), one}, {1, 2}));
    expect_as_reference(make_op("Gather", 13, {}, {x, Tensor::i64({2}, {1, -2})}));
    expect_as_reference(make_op("Expand", 13, {}, {x, Tensor::i64({4}, {2, 1, 1, 1})}, {1}));
  }
}

TEST(BitCast, KeepsTheBits) {
  const auto to = [](DType dtype) { return AttributeMap{{"to", onnx_number(dtype)}}; };
  const Tensor bits =
      run_one(make_op("BitCast", 26, to(DType::kI32), {Tensor::f32({3}, {1, -0.0F, kInf})}));
  EXPECT_EQ(bits.to_ints(), (std::vector<std::int64_t>{0x3F800000, INT32_MIN, 0x7F800000}));
  const Tensor nibbles = Tensor::of<std::int8_t>(DType::kI4, {3}, {-1, 7, -8});
  EXPECT_EQ(run_one(make_op("BitCast", 26, to(DType::kU4), {nibbles})).to_ints(),
            (std::vector<std::int64_t>{15, 7, 8}));
  EXPECT_EQ(
      difference(run_one(make_op("BitCast", 26, to(DType::kF4E2M1), {nibbles})), {-6, 6, -0.0}, 0),
      "");
  EXPECT_NE(refusal_of(make_op("BitCast", 26, to(DType::kI64), {kTable})), "");
}

}  // namespace
}  // namespace frit::test

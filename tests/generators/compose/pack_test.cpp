#include "generators/compose/pack.h"

#include <gtest/gtest.h>

#include <numeric>

namespace frit {
namespace {

Tensor counted(const std::vector<std::int64_t>& dims) {
  std::vector<float> values(static_cast<std::size_t>(TensorType(DType::kF32, dims).elements()));
  std::iota(values.begin(), values.end(), 1.0F);
  return Tensor::f32(dims, values);
}

// pack w (k % 4, rx, ry, c, k / 4)
PackSpec conv_pack(std::int64_t block) {
  return {"w", {{"k", 1, block}, {"rx"}, {"ry"}, {"c"}, {"k", block, 0}}};
}

TEST(PackConstant, PutsEveryElementWhereTheSpecSaysAndZeroWhereABlockOverhangs) {
  const std::vector<std::int64_t> dims = {6, 2, 1, 3};  // k c ry rx; 6 is no multiple of 4
  const Tensor w = counted(dims);
  const Tensor packed = pack_constant(w, {"k", "c", "ry", "rx"}, conv_pack(4));
  EXPECT_EQ(packed.dims(), (std::vector<std::int64_t>{2, 2, 1, 3, 4}));
  const auto source = w.data<float>();
  const auto result = packed.data<float>();
  for (int k = 0; k < 8; ++k) {
    for (int c = 0; c < 2; ++c) {
      for (int rx = 0; rx < 3; ++rx) {
        const std::size_t at = static_cast<std::size_t>(k % 4 + 4 * (rx + 3 * (c + 2 * (k / 4))));
        const float expected =
            k < 6 ? source[static_cast<std::size_t>((k * 2 + c) * 3 + rx)] : 0.0F;
        EXPECT_EQ(result[at], expected) << "k " << k << " c " << c << " rx " << rx;
      }
    }
  }
}

TEST(PackedExtents, RefusesAnAxisThatIsNotWhollyCovered) {
  PackSpec half = conv_pack(4);
  half.dims.pop_back();  // k / 4 is missing
  const auto extents = packed_extents(half, {"k", "c", "ry", "rx"}, {6, 2, 1, 3});
  ASSERT_FALSE(extents);
  EXPECT_EQ(extents.error().message,
            "pack w: axis k has 6 elements but the pack covers 4; add k / 4");
}

TEST(PackedExtents, RefusesPartsThatOverlapOrSkip) {
  PackSpec skipped = conv_pack(4);
  skipped.dims.back().divisor = 8;
  EXPECT_FALSE(packed_extents(skipped, {"k", "c", "ry", "rx"}, {16, 2, 1, 3}));
}

TEST(PackedExtents, RefusesAnUnknownAxis) {
  PackSpec unknown = conv_pack(4);
  unknown.dims.push_back({"q"});
  const auto extents = packed_extents(unknown, {"k", "c", "ry", "rx"}, {6, 2, 1, 3});
  ASSERT_FALSE(extents);
  EXPECT_EQ(extents.error().message, "pack w: there is no axis q; its axes are k, c, ry, rx");
}

}  // namespace
}  // namespace frit

#include "ops/base/small_float.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace frit {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(SmallFloat, ValuesAtTheEndsOfEachFormat) {
  EXPECT_EQ(small_float_value(DType::kF8E4M3FN, 0x7E), 448);
  EXPECT_EQ(small_float_value(DType::kF8E4M3FN, 0x01), 0x1p-9);
  EXPECT_EQ(small_float_value(DType::kF8E4M3FNUZ, 0x7F), 240);
  EXPECT_EQ(small_float_value(DType::kF8E4M3FNUZ, 0x01), 0x1p-10);
  EXPECT_EQ(small_float_value(DType::kF8E5M2, 0x7B), 57344);
  EXPECT_EQ(small_float_value(DType::kF8E5M2, 0xFC), -kInf);
  EXPECT_EQ(small_float_value(DType::kF8E5M2FNUZ, 0xFF), -57344);
  EXPECT_EQ(small_float_value(DType::kF8E8M0, 0), 0x1p-127);
  EXPECT_EQ(small_float_value(DType::kF8E8M0, 254), 0x1p127);
  EXPECT_EQ(small_float_value(DType::kF6E2M3, 0x1F), 7.5);
  EXPECT_EQ(small_float_value(DType::kF6E3M2, 0x3F), -28);
  EXPECT_EQ(small_float_value(DType::kF4E2M1, 0x07), 6);
  EXPECT_TRUE(std::signbit(small_float_value(DType::kF8E5M2, 0x80)));
  for (const auto& [dtype, code] : {std::pair{DType::kF8E4M3FN, 0xFF},
                                    {DType::kF8E4M3FNUZ, 0x80},
                                    {DType::kF8E5M2, 0x7D},
                                    {DType::kF8E5M2FNUZ, 0x80},
                                    {DType::kF8E8M0, 0xFF}}) {
    EXPECT_TRUE(std::isnan(small_float_value(dtype, static_cast<std::uint8_t>(code))));
  }
}

TEST(SmallFloat, RoundsTiesToEvenAndSubnormals) {
  EXPECT_EQ(small_float_code(DType::kF8E4M3FN, 1.0625), 0x38);
  EXPECT_EQ(small_float_code(DType::kF8E4M3FN, 1.1875), 0x3A);
  EXPECT_EQ(small_float_code(DType::kF8E4M3FN, 0x1p-10), 0x00);
  EXPECT_EQ(small_float_code(DType::kF8E4M3FN, 0x1.8p-9), 0x02);
  EXPECT_EQ(small_float_code(DType::kF8E4M3FN, 464), 0x7E);  // a tie that goes down, to 448
  EXPECT_EQ(small_float_code(DType::kF8E4M3FN, 465, {.saturate = false}), 0x7F);
  EXPECT_EQ(small_float_code(DType::kF8E4M3FN, 464, {.saturate = false}), 0x7E);
}

}  // namespace
}  // namespace frit

#include <HalideRuntime.h>
#include <gtest/gtest.h>

#include <cstddef>

extern "C" {
#include "runtime/buffer.h"
}

namespace {

#define EXPECT_SAME_PLACE(member) \
  EXPECT_EQ(offsetof(frit_buffer, member), offsetof(halide_buffer_t, member))

TEST(Buffer, LiesAsHalidesKernelsExpect) {
  EXPECT_EQ(sizeof(frit_buffer), sizeof(halide_buffer_t));
  EXPECT_SAME_PLACE(device);
  EXPECT_SAME_PLACE(device_interface);
  EXPECT_SAME_PLACE(host);
  EXPECT_SAME_PLACE(flags);
  EXPECT_SAME_PLACE(type);
  EXPECT_SAME_PLACE(dimensions);
  EXPECT_SAME_PLACE(dim);
  EXPECT_SAME_PLACE(padding);
}

TEST(Buffer, DimensionsAndTypesLieAlikeToo) {
  EXPECT_EQ(sizeof(frit_dim), sizeof(halide_dimension_t));
  EXPECT_EQ(offsetof(frit_dim, min), offsetof(halide_dimension_t, min));
  EXPECT_EQ(offsetof(frit_dim, extent), offsetof(halide_dimension_t, extent));
  EXPECT_EQ(offsetof(frit_dim, stride), offsetof(halide_dimension_t, stride));
  EXPECT_EQ(sizeof(frit_type), sizeof(halide_type_t));
  EXPECT_EQ(offsetof(frit_type, bits), offsetof(halide_type_t, bits));
  EXPECT_EQ(offsetof(frit_type, lanes), offsetof(halide_type_t, lanes));
}

}  // namespace

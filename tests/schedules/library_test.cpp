// The shipped library: every file parses, prints to its normal form, and applies.
#include <gtest/gtest.h>

#include "schedules/schedule.h"
#include "tests/schedules/library_testing.h"

namespace frit::testing {
namespace {

TEST(Library, EveryFileParsesAndPrintsToANormalForm) {
  ASSERT_FALSE(shipped_schedules().empty());
  for (const Schedule& schedule : shipped_schedules()) {
    SCOPED_TRACE(schedule.file);
    const std::string once = print_schedule(schedule);
    const auto again = parse_schedule(once, schedule.file);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(once, print_schedule(*again));
  }
}

void convolution(std::int64_t c, std::int64_t k, std::int64_t size, std::int64_t kernel,
                 std::int64_t stride, const std::string& schedule) {
  SCOPED_TRACE(::testing::Message()
               << c << "->" << k << " " << size << " k" << kernel << " s" << stride);
  GraphBuilder builder;
  const ValueId x = builder.input("x", {1, c, size, size});
  const ValueId conv = builder.conv("conv", x, k, kernel, stride);
  builder.output(builder.add("Relu", "relu", {conv}));
  expect_all_equal(builder, "conv2d", schedule);
}

TEST(Library, DirectConvolution) {
  convolution(3, 16, 9, 3, 1, "conv2d_direct.sched");
  convolution(3, 32, 31, 3, 2, "conv2d_direct.sched");
  convolution(16, 64, 7, 1, 1, "conv2d_direct.sched");
  convolution(8, 48, 8, 5, 1, "conv2d_direct.sched");
}

TEST(Library, ConvolutionsOfOddChannels) {
  convolution(3, 7, 9, 3, 1, "");
  convolution(5, 17, 5, 1, 2, "");
}

}  // namespace
}  // namespace frit::testing

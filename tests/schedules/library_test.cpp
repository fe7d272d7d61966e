// The shipped library: every file parses, prints to its normal form, and applies.
#include "tests/schedules/small_pipelines.h"

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

}  // namespace
}  // namespace frit::testing

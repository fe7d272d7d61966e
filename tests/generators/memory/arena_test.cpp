#include "generators/memory/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace frit {
namespace {

// Every pair alive together must be apart; every offset aligned; nothing beyond the peak.
void expect_sound(const std::vector<LiveRange>& ranges, const ArenaPlan& plan,
                  std::int64_t alignment) {
  ASSERT_EQ(plan.offsets.size(), ranges.size());
  std::int64_t end = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % alignment, 0);
    EXPECT_GE(plan.offsets[i], 0);
    end = std::max(end, plan.offsets[i] + ranges[i].bytes);
    for (std::size_t j = 0; j < i; ++j) {
      const bool together = ranges[i].first_step <= ranges[j].last_step &&
                            ranges[j].first_step <= ranges[i].last_step;
      const bool overlap = plan.offsets[i] < plan.offsets[j] + ranges[j].bytes &&
                           plan.offsets[j] < plan.offsets[i] + ranges[i].bytes;
      EXPECT_FALSE(together && overlap) << i << " over " << j;
    }
  }
  EXPECT_LE(end, plan.peak_bytes);
  EXPECT_LT(plan.peak_bytes - end, alignment);
  EXPECT_GE(plan.peak_bytes, plan.lower_bound_bytes);
}

std::vector<LiveRange> random_ranges(std::mt19937& random, std::size_t count, int steps,
                                     int most_bytes) {
  std::vector<LiveRange> ranges;
  for (std::size_t i = 0; i < count; ++i) {
    const int first = static_cast<int>(random() % static_cast<unsigned>(steps));
    const int life = static_cast<int>(random() % 5);
    const auto bytes = static_cast<std::int64_t>(random() % static_cast<unsigned>(most_bytes + 1));
    ranges.push_back({"r" + std::to_string(i), bytes, first, std::min(first + life, steps - 1)});
  }
  return ranges;
}

// The least peak over all orders, each range at its lowest free offset: exhaustive for few ranges.
std::int64_t optimal_peak(const std::vector<LiveRange>& ranges) {
  std::vector<std::size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::int64_t best = INT64_MAX;
  do {
    std::vector<std::int64_t> offset(ranges.size(), -1);
    std::int64_t peak = 0;
    for (const std::size_t i : order) {
      std::int64_t at = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t j = 0; j < ranges.size(); ++j) {
          if (offset[j] < 0 || ranges[j].last_step < ranges[i].first_step ||
              ranges[i].last_step < ranges[j].first_step) {
            continue;
          }
          if (at < offset[j] + ranges[j].bytes && offset[j] < at + ranges[i].bytes) {
            at = offset[j] + ranges[j].bytes;
            moved = true;
          }
        }
      }
      offset[i] = at;
      peak = std::max(peak, at + ranges[i].bytes);
    }
    best = std::min(best, peak);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(Arena, NeverOverlapsRangesAliveTogether) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    const std::vector<LiveRange> ranges = random_ranges(random, 1 + random() % 60, 30, 5000);
    expect_sound(ranges, plan_arena(ranges, 64), 64);
  }
}

TEST(Arena, IsOptimalForFewRanges) {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    const std::vector<LiveRange> ranges = random_ranges(random, 6, 6, 9);
    const ArenaPlan plan = plan_arena(ranges, 1);
    expect_sound(ranges, plan, 1);
    EXPECT_EQ(plan.peak_bytes, optimal_peak(ranges)) << arena_picture(ranges, plan, 40);
  }
}

TEST(Arena, ReachesTheLowerBoundOfAChain) {
  std::vector<LiveRange> ranges;
  for (int i = 0; i < 50; ++i) ranges.push_back({"v", 100 + 64 * (i * 7 % 13), i, i + 1});
  const ArenaPlan plan = plan_arena(ranges, 64);
  expect_sound(ranges, plan, 64);
  EXPECT_EQ(plan.peak_bytes, plan.lower_bound_bytes);
}

TEST(Arena, SamePlanForTheSameRanges) {
  std::mt19937 random(3);
  const std::vector<LiveRange> ranges = random_ranges(random, 80, 40, 3000);
  EXPECT_EQ(plan_arena(ranges, 64).offsets, plan_arena(ranges, 64).offsets);
}

TEST(Arena, AcceptsNothingAndEmptyRanges) {
  EXPECT_EQ(plan_arena({}, 64).peak_bytes, 0);
  const ArenaPlan plan = plan_arena({{"empty", 0, 0, 3}, {"one", 1, 0, 0}}, 64);
  EXPECT_EQ(plan.peak_bytes, 64);
  EXPECT_EQ(plan.lower_bound_bytes, 64);
}

TEST(Arena, PictureShowsOneRowARange) {
  const std::vector<LiveRange> ranges = {{"a", 64, 0, 1}, {"b", 128, 1, 3}, {"c", 64, 2, 2}};
  EXPECT_EQ(arena_picture(ranges, plan_arena(ranges, 64), 80),
            "arena 192 bytes, lower bound 192 bytes, 4 steps, 3 ranges\n"
            "      offset        bytes  value                    steps\n"
            "         128           64  a                        ##..\n"
            "           0          128  b                        .###\n"
            "         128           64  c                        ..#.\n");
}

}  // namespace
}  // namespace frit

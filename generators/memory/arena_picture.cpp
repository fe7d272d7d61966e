// The text picture of an arena plan: where each range lies and when it is alive.
#include <fmt/format.h>

#include <algorithm>

#include "generators/memory/arena.h"

namespace frit {
namespace {

constexpr std::size_t kNameColumns = 24;

std::string short_name(const std::string& name) {
  if (name.size() <= kNameColumns) return name;
  return name.substr(0, kNameColumns - 2) + "..";
}

}  // namespace

std::string arena_picture(const std::vector<LiveRange>& ranges, const ArenaPlan& plan,
                          int columns) {
  int steps = 0;
  for (const LiveRange& range : ranges) steps = std::max(steps, range.last_step + 1);
  const int width = std::clamp(steps, 1, std::max(columns, 1));
  const auto column_of = [&](int step) {
    return static_cast<std::size_t>(static_cast<std::int64_t>(step) * width / std::max(steps, 1));
  };
  std::string text = fmt::format("arena {} bytes, lower bound {} bytes, {} steps, {} ranges\n",
                                 plan.peak_bytes, plan.lower_bound_bytes, steps, ranges.size());
  text += fmt::format("{:>12} {:>12}  {:<{}} steps\n", "offset", "bytes", "value", kNameColumns);
  std::vector<std::size_t> rows(ranges.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(ranges[a].first_step, plan.offsets[a]) <
           std::pair(ranges[b].first_step, plan.offsets[b]);
  });
  for (const std::size_t i : rows) {
    std::string life(static_cast<std::size_t>(width), '.');
    for (std::size_t c = column_of(ranges[i].first_step); c <= column_of(ranges[i].last_step);
         ++c) {
      life[c] = '#';
    }
    text += fmt::format("{:>12} {:>12}  {:<{}} {}\n", plan.offsets[i], ranges[i].bytes,
                        short_name(ranges[i].name), kNameColumns, life);
  }
  return text;
}

}  // namespace frit

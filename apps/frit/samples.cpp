#include "apps/frit/samples.h"

#include <algorithm>
#include <cstdlib>

namespace frit {

namespace {

std::int64_t lower_median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

SampleStatistics statistics_of(const std::vector<std::int64_t>& samples) {
  if (samples.empty()) return {};
  SampleStatistics statistics;
  statistics.median = lower_median(samples);
  statistics.least = *std::min_element(samples.begin(), samples.end());
  std::vector<std::int64_t> distances;
  for (const std::int64_t sample : samples) {
    distances.push_back(std::abs(sample - statistics.median));
  }
  statistics.mad = lower_median(std::move(distances));
  return statistics;
}

}  // namespace frit

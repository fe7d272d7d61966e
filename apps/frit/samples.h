// What a row of timings says: middle and spread, both safe against outliers.
#pragma once

#include <cstdint>
#include <vector>

namespace frit {

struct SampleStatistics {
  std::int64_t median = 0;
  std::int64_t mad = 0;  ///< median of |sample - median|; not the standard deviation, which one
                         ///< interruption by the system would rule
  std::int64_t least = 0;
};

/// Zeros for no samples. Of an even number the median is the lower middle.
SampleStatistics statistics_of(const std::vector<std::int64_t>& samples);

}  // namespace frit

// Measures what the machine can do at best: the roofs that speeds are compared with.
#pragma once

#include <string>
#include <vector>

namespace frit {

struct Peak {
  std::string name;  ///< "fma_f32_gflops", "read_l1_gb_per_s" …
  double value = 0.0;
};

/// GFLOP/s of FMA in float32 with the widest vectors of this machine; one thread, 0.1 s, the best of
/// several rounds.
double measure_fma_peak();

/// One thread; about one second. FMA in float32 with the widest vectors of this machine, and
/// reading from arrays of half of each cache and of 256 MiB. The best of several rounds.
std::vector<Peak> measure_peaks(const std::vector<long long>& cache_bytes);

}  // namespace frit

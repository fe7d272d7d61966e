#include "apps/frit/peak.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace frit {

namespace {

// GCC's vector types: one source for every width and machine. `target_clones` would pick the width
// by itself but not the register count; widths are therefore spelled out.
typedef float Float16x __attribute__((vector_size(64), may_alias));

constexpr int kAccumulators = 12;  // latency 4 x 2 units = 8 in flight; 12 leave slack

#if defined(__x86_64__)
#define FRIT_WIDEST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FRIT_WIDEST
#endif

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

FRIT_WIDEST float fma_loop(std::int64_t rounds, float factor, float addend) {
  Float16x sum[kAccumulators];
  for (int i = 0; i < kAccumulators; ++i) sum[i] = Float16x{} + static_cast<float>(i);
  const Float16x f = Float16x{} + factor;
  const Float16x a = Float16x{} + addend;
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kAccumulators; ++i) sum[i] = sum[i] * f + a;
  }
  Float16x total = {};
  for (int i = 0; i < kAccumulators; ++i) total += sum[i];
  float result = 0;
  for (int lane = 0; lane < 16; ++lane) result += total[lane];
  return result;
}

FRIT_WIDEST float read_loop(const Float16x* data, std::size_t vectors) {
  Float16x sum[8] = {};
  for (std::size_t i = 0; i + 8 <= vectors; i += 8) {
#pragma GCC unroll 8
    for (std::size_t j = 0; j < 8; ++j) sum[j] += data[i + j];
  }
  Float16x total = {};
  for (const Float16x& part : sum) total += part;
  return total[0];
}

/// Best seconds of one call, over at least 5 calls and 0.1 s.
template <class Work>
double best_seconds(Work work) {
  double best = 1e30;
  const double end = seconds_now() + 0.1;
  for (int round = 0; round < 5 || seconds_now() < end; ++round) {
    const double start = seconds_now();
    work();
    best = std::min(best, seconds_now() - start);
  }
  return best;
}

}  // namespace

double measure_fma_peak() {
  volatile float sink = 0;
  constexpr std::int64_t kRounds = 200000;
  const double fma_s = best_seconds([&] { sink = sink + fma_loop(kRounds, 0.999F, 0.001F); });
  return 2.0 * 16 * kAccumulators * kRounds / fma_s * 1e-9;
}

std::vector<Peak> measure_peaks(const std::vector<long long>& cache_bytes) {
  std::vector<Peak> peaks;
  volatile float sink = 0;
  peaks.push_back({"fma_f32_gflops", measure_fma_peak()});

  std::vector<std::pair<std::string, std::size_t>> sizes;
  for (std::size_t level = 0; level < cache_bytes.size(); ++level) {
    sizes.emplace_back(fmt::format("read_l{}_gb_per_s", level + 1),
                       static_cast<std::size_t>(cache_bytes[level]) / 2);
  }
  sizes.emplace_back("read_dram_gb_per_s", std::size_t{256} << 20);
  for (const auto& [name, bytes] : sizes) {
    const std::size_t vectors = bytes / sizeof(Float16x);
    const auto data = std::make_unique<Float16x[]>(vectors);
    // Small arrays are read many times per timing, so that the clock's grain does not show.
    const std::size_t repeats = std::max<std::size_t>(1, (std::size_t{4} << 20) / bytes);
    const double read_s = best_seconds([&] {
      for (std::size_t i = 0; i < repeats; ++i) sink = sink + read_loop(data.get(), vectors);
    });
    peaks.push_back({name, static_cast<double>(bytes * repeats) / read_s * 1e-9});
  }
  return peaks;
}

}  // namespace frit

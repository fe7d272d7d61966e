// How long the pool takes to get every thread to work, and to come back.
//
// usage: frit_bench_wake_up [THREADS] [LOOPS]
// A parallel loop of one task a thread; each task notes the time at which it began. "start" is from
// the call until the last task has begun, "loop" until the call returns. Before each loop the caller
// works alone for some time: 0 (kernels back to back), 10 and 100 us (a serial kernel between), or
// sleeps 5 ms (the first kernel of a run after a pause: the threads sleep too).
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

extern "C" {
#include "runtime/parallel.h"
}

namespace {

using Clock = std::chrono::steady_clock;

struct Closure {
  Clock::time_point* began;
};

int note_begin(void*, int index, uint8_t* closure) {
  reinterpret_cast<Closure*>(closure)->began[index] = Clock::now();
  // Long enough that no thread takes two: every task has to wait for a thread of its own.
  const Clock::time_point end = Clock::now() + std::chrono::microseconds(20);
  while (Clock::now() < end) {
  }
  return 0;
}

double micros(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

void spend(int pause_us) {
  if (pause_us >= 1000) {
    std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
    return;
  }
  const Clock::time_point end = Clock::now() + std::chrono::microseconds(pause_us);
  while (Clock::now() < end) {
  }
}

double at(std::vector<double>& values, double share) {
  const auto index = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index),
                   values.end());
  return values[index];
}

void measure(frit_worker& caller, int threads, int loops, int pause_us) {
  std::vector<Clock::time_point> began(static_cast<std::size_t>(threads));
  Closure closure{began.data()};
  std::vector<double> start_us, loop_us;
  for (int loop = 0; loop < loops; ++loop) {
    spend(pause_us);
    const Clock::time_point start = Clock::now();
    halide_do_par_for(&caller, note_begin, 0, threads, reinterpret_cast<uint8_t*>(&closure));
    const Clock::time_point end = Clock::now();
    start_us.push_back(micros(*std::max_element(began.begin(), began.end()) - start));
    loop_us.push_back(micros(end - start) - 20.0);
  }
  std::printf("%8d %10.2f %10.2f %10.2f %12.2f\n", pause_us, at(start_us, 0.5), at(start_us, 0.9),
              at(start_us, 0.99), at(loop_us, 0.5));
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
  const int loops = argc > 2 ? std::atoi(argv[2]) : 2000;
  if (threads < 2 || threads > 256 || loops < 1) {
    std::fprintf(stderr, "usage: frit_bench_wake_up [THREADS 2..256] [LOOPS]\n");
    return 2;
  }
  std::vector<frit_worker> workers(static_cast<std::size_t>(threads));
  void* memory = std::aligned_alloc(FRIT_ALIGNMENT, frit_pool_bytes(threads));
  if (frit_pool_start(memory, workers.data(), threads) != 0) {
    std::fprintf(stderr, "frit_bench_wake_up: cannot start %d threads\n", threads);
    return 5;
  }
  workers[0].pool = static_cast<frit_pool*>(memory);
  std::printf("%8s %10s %10s %10s %12s   (us, %d threads, %d loops)\n", "pause", "start p50", "p90",
              "p99", "loop-20 p50", threads, loops);
  for (const int pause_us : {0, 10, 100, 5000}) {
    measure(workers[0], threads, pause_us < 1000 ? loops : loops / 10 + 1, pause_us);
  }
  frit_pool_stop(workers[0].pool);
  std::free(memory);
  return 0;
}

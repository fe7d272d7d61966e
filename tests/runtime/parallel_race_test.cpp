// The pool under ThreadSanitizer (frit_tsan_test), and with the other tests of the runtime.
//
// Tasks read and write plain memory: what a kernel does. So the pool alone must order the caller's
// writes before the tasks, and the tasks' writes before the caller's return.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/runtime/pool_context.h"

namespace {

using frit::testing::Context;

// What one loop reads and writes; `step` changes from loop to loop at the same address.
struct Job {
  explicit Job(int count) : out(static_cast<std::size_t>(count), 0) {}
  int first = 0;
  int step = 0;
  int failing = -1;  // index whose task fails with -step
  std::vector<int> out;

  std::uint8_t* closure() { return reinterpret_cast<std::uint8_t*>(this); }
  // Every index ran once in each of the loops whose steps add up to `steps`.
  bool all_are(int steps) const {
    for (const int value : out) {
      if (value != steps) return false;
    }
    return true;
  }
};

int add_step(void* /*user_context*/, int index, std::uint8_t* closure) {
  Job& job = *reinterpret_cast<Job*>(closure);
  const int i = index - job.first;
  job.out[static_cast<std::size_t>(i)] += job.step;
  return i == job.failing ? -job.step : 0;
}

int run(Context& context, Job& job) {
  return halide_do_par_for(context.worker(), add_step, job.first, static_cast<int>(job.out.size()),
                           job.closure());
}

TEST(PoolRaces, LoopsOfManyCountsBackToBack) {
  for (const int threads : {2, 3, 4, 9}) {
    Context context(threads);
    for (int round = 0; round < 1500; ++round) {
      const int count = round % 61 == 0 ? 1000 : round % 23;
      Job job(count);
      job.first = round % 5 - 2;
      job.step = round + 1;
      ASSERT_EQ(run(context, job), 0);
      ASSERT_TRUE(job.all_are(round + 1)) << threads << " threads, round " << round;
    }
  }
}

// The gap between kernels of one run: the same closure and output, written by the caller between.
TEST(PoolRaces, TheCallerWritesBetweenLoopsOverOneClosure) {
  Context context(4);
  Job job(37);
  for (int round = 1; round <= 2000; ++round) {
    job.first = round % 3;
    job.step = round;
    ASSERT_EQ(run(context, job), 0);
    ASSERT_TRUE(job.all_are(round)) << round;
    job.out.assign(job.out.size(), 0);
  }
}

// Each loop reads all that the loop before it wrote, whichever worker wrote it.
TEST(PoolRaces, ALoopReadsWhatTheOneBeforeWrote) {
  struct Pair {
    std::vector<int> from, to;
  };
  const frit_task sum = [](void*, int index, std::uint8_t* closure) {
    Pair& pair = *reinterpret_cast<Pair*>(closure);
    const int total = std::accumulate(pair.from.begin(), pair.from.end(), 0);
    pair.to[static_cast<std::size_t>(index)] = total % 1000 + index;
    return 0;
  };
  const auto run_all = [&](int threads) {
    Context context(threads);
    Pair pair{std::vector<int>(16, 1), std::vector<int>(16, 0)};
    for (int round = 0; round < 500; ++round) {
      EXPECT_EQ(
          halide_do_par_for(context.worker(), sum, 0, 16, reinterpret_cast<std::uint8_t*>(&pair)),
          0);
      pair.from.swap(pair.to);
    }
    return pair.from;
  };
  EXPECT_EQ(run_all(5), run_all(1));
}

TEST(PoolRaces, NestedLoops) {
  Context context(3);
  for (int round = 1; round <= 200; ++round) {
    std::vector<Job> rows(11, Job(round % 13));
    for (Job& row : rows) row.step = round;
    const frit_task over_rows = [](void* user_context, int index, std::uint8_t* closure) {
      Job& row = (*reinterpret_cast<std::vector<Job>*>(closure))[static_cast<std::size_t>(index)];
      return halide_do_par_for(user_context, add_step, 0, static_cast<int>(row.out.size()),
                               row.closure());
    };
    ASSERT_EQ(halide_do_par_for(context.worker(), over_rows, 0, static_cast<int>(rows.size()),
                                reinterpret_cast<std::uint8_t*>(&rows)),
              0);
    for (const Job& row : rows) ASSERT_TRUE(row.all_are(round)) << round;
  }
}

TEST(PoolRaces, PoolsOfSeveralThreadsAtOnce) {
  std::vector<int> good(3, 0);
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < good.size(); ++caller) {
    callers.emplace_back([caller, &good] {
      Context context(2 + static_cast<int>(caller));
      for (int round = 1; round <= 500; ++round) {
        Job job(round % 19);
        job.step = round;
        good[caller] += run(context, job) == 0 && job.all_are(round) ? 1 : 0;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(good, std::vector<int>(3, 500));
}

// A context may be used by one thread after another, as long as the program orders them.
TEST(PoolRaces, AContextIsHandedFromThreadToThread) {
  Context context(3);
  Job job(29);
  for (int round = 1; round <= 50; ++round) {
    job.step = 1;
    std::thread([&] { EXPECT_EQ(run(context, job), 0); }).join();
  }
  EXPECT_TRUE(job.all_are(50));
}

TEST(PoolRaces, StartAndStopAgainAndAgain) {
  for (int round = 1; round <= 150; ++round) {
    Context context(1 + round % 5);
    for (int loop = 0; loop < round % 3; ++loop) {
      Job job(8);
      job.step = round;
      ASSERT_EQ(run(context, job), 0);
      ASSERT_TRUE(job.all_are(round));
    }
  }
}

TEST(PoolRaces, AnErrorOfATaskIsReturnedAndTheNextLoopIsClean) {
  Context context(4);
  for (int round = 1; round <= 500; ++round) {
    Job job(2 + round % 30);
    job.step = round;
    job.failing = round % static_cast<int>(job.out.size());
    ASSERT_EQ(run(context, job), -round);
    job.failing = -1;
    ASSERT_EQ(run(context, job), 0) << "after the error of round " << round;
  }
}

// Several tasks fail at once: one of their codes comes back, never a mixture and never 0.
TEST(PoolRaces, ErrorsOfSeveralTasks) {
  Context context(4);
  const frit_task fails = [](void*, int index, std::uint8_t*) { return -100 - index; };
  for (int round = 0; round < 500; ++round) {
    const int code = halide_do_par_for(context.worker(), fails, 0, 12, nullptr);
    ASSERT_LE(code, -100);
    ASSERT_GE(code, -111);
  }
}

}  // namespace

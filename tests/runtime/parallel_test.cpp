#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "tests/runtime/pool_context.h"

namespace {

using frit::testing::Context;

struct Counts {
  std::vector<std::atomic<int>> of_index;
  explicit Counts(std::size_t n) : of_index(n) {}
};

int count_task(void* /*user_context*/, int index, std::uint8_t* closure) {
  reinterpret_cast<Counts*>(closure)->of_index[static_cast<std::size_t>(index)]++;
  return 0;
}

TEST(ThreadPool, RunsEveryIndexOnce) {
  for (const int threads : {1, 2, 3, 7}) {
    Context context(threads);
    for (int count : {0, 1, 2, 3, 6, 7, 100}) {
      for (int round = 0; round < 50; ++round) {
        Counts counts(static_cast<std::size_t>(count));
        EXPECT_EQ(halide_do_par_for(context.worker(), count_task, 0, count,
                                    reinterpret_cast<std::uint8_t*>(&counts)),
                  0);
        for (const auto& of_index : counts.of_index) EXPECT_EQ(of_index.load(), 1);
      }
    }
  }
}

TEST(ThreadPool, RunsJobsOfChangingSizeBackToBack) {
  Context context(4);
  for (int round = 0; round < 5000; ++round) {
    const int count = 1 + round * 7 % 40;
    Counts counts(static_cast<std::size_t>(count));
    ASSERT_EQ(halide_do_par_for(context.worker(), count_task, 0, count,
                                reinterpret_cast<std::uint8_t*>(&counts)),
              0);
    for (const auto& of_index : counts.of_index) ASSERT_EQ(of_index.load(), 1) << round;
  }
}

TEST(ThreadPool, WakesWorkersThatSleep) {
  Context context(3);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int> arrived{0};
    // Each task waits for another: one thread alone could not end the loop.
    const frit_task meet = [](void*, int, std::uint8_t* closure) {
      auto* count = reinterpret_cast<std::atomic<int>*>(closure);
      ++*count;
      while (count->load() < 2) std::this_thread::yield();
      return 0;
    };
    EXPECT_EQ(
        halide_do_par_for(context.worker(), meet, 0, 2, reinterpret_cast<std::uint8_t*>(&arrived)),
        0);
  }
}

TEST(ThreadPool, FirstIndexNeedNotBeZero) {
  Context context(2);
  std::atomic<int> sum{0};
  const frit_task add = [](void*, int index, std::uint8_t* closure) {
    *reinterpret_cast<std::atomic<int>*>(closure) += index;
    return 0;
  };
  halide_do_par_for(context.worker(), add, -2, 5, reinterpret_cast<std::uint8_t*>(&sum));
  EXPECT_EQ(sum.load(), -2 - 1 + 0 + 1 + 2);
}

TEST(ThreadPool, ReturnsAnErrorOfATaskAndGoesOnWorking) {
  Context context(3);
  const frit_task failing = [](void*, int index, std::uint8_t*) { return index == 5 ? -23 : 0; };
  EXPECT_EQ(halide_do_par_for(context.worker(), failing, 0, 20, nullptr), -23);
  const frit_task fine = [](void*, int, std::uint8_t*) { return 0; };
  EXPECT_EQ(halide_do_par_for(context.worker(), fine, 0, 20, nullptr), 0);
}

TEST(ThreadPool, NestedLoopRunsInsideTheTask) {
  Context context(3);
  Counts counts(100);
  const frit_task outer = [](void* user_context, int index, std::uint8_t* closure) {
    return halide_do_par_for(user_context, count_task, index * 10, 10, closure);
  };
  EXPECT_EQ(
      halide_do_par_for(context.worker(), outer, 0, 10, reinterpret_cast<std::uint8_t*>(&counts)),
      0);
  for (const auto& of_index : counts.of_index) EXPECT_EQ(of_index.load(), 1);
}

TEST(ThreadPool, ContextsRunAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&wrong] {
      Context context(2);
      for (int round = 0; round < 300; ++round) {
        Counts counts(9);
        halide_do_par_for(context.worker(), count_task, 0, 9,
                          reinterpret_cast<std::uint8_t*>(&counts));
        for (const auto& of_index : counts.of_index) wrong += of_index.load() != 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(Context, ReleaseTwiceAndOfNothingIsHarmless) {
  frit_context context{};
  frit_release(nullptr);
  frit_release(&context);
  EXPECT_EQ(frit_begin_run(&context), nullptr);
  EXPECT_EQ(frit_begin_run(nullptr), nullptr);
}

TEST(Context, EveryCodeHasASentence) {
  std::set<std::string> sentences;
  for (int code = FRIT_OK; code <= FRIT_TENSOR_OVERLAP; ++code) {
    sentences.insert(frit_error_text(code));
  }
  EXPECT_EQ(sentences.size(), static_cast<std::size_t>(FRIT_TENSOR_OVERLAP + 1));
  EXPECT_EQ(sentences.count("no error has this code"), 0U);
  for (int code = -300; code < 300; ++code) EXPECT_NE(frit_error_text(code), nullptr);
}

}  // namespace

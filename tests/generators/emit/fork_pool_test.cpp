#include "generators/emit/fork_pool.h"

#include <Halide.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>

namespace frit {
namespace {

std::vector<Result<std::string>> run(const std::vector<ForkJob>& jobs, ForkLimits limits = {}) {
  return run_forked(jobs, 2, limits, {}, {});
}

TEST(RunForked, GivesEachJobsTextInJobOrder) {
  std::vector<ForkJob> jobs;
  for (int i = 0; i < 7; ++i) {
    jobs.push_back({"job", [i]() -> Result<std::string> {
                      return std::string(static_cast<std::size_t>(i) * 100000, 'x') +
                             std::to_string(i);
                    }});
  }
  const auto outcomes = run(jobs);
  ASSERT_EQ(outcomes.size(), 7U);
  for (std::size_t i = 0; i < 7; ++i) {
    ASSERT_TRUE(outcomes[i]);
    EXPECT_EQ(outcomes[i]->size(), i * 100000 + 1);
    EXPECT_EQ(outcomes[i]->back(), static_cast<char>('0' + i));
  }
}

TEST(RunForked, BringsADiagnosticBackWhole) {
  Diagnostic sent = error("sched-loop", "no loop 'q\"z'\xff");
  sent.notes = {"loops are x, y"};
  sent.fixes = {{"out.vectorize(x)", "legal", 12}};
  const auto outcomes = run({{"job", [&]() -> Result<std::string> { return fail(sent); }}});
  ASSERT_FALSE(outcomes[0]);
  EXPECT_EQ(outcomes[0].error().code, "sched-loop");
  EXPECT_EQ(outcomes[0].error().notes, sent.notes);
  EXPECT_EQ(outcomes[0].error().fixes.at(0).storage_bytes, 12);
}

TEST(RunForked, ACrashIsADiagnosticWithWhatTheChildSaid) {
  const auto outcomes =
      run({{"group conv_1",
            []() -> Result<std::string> {
              std::fputs("about to fail\n", stderr);
              std::raise(SIGSEGV);
              return std::string();
            }},
           {"group conv_2", []() -> Result<std::string> { return std::string("ok"); }}});
  ASSERT_FALSE(outcomes[0]);
  EXPECT_EQ(outcomes[0].error().code, "emit-crash");
  EXPECT_THAT(outcomes[0].error().message, testing::HasSubstr("group conv_1"));
  EXPECT_THAT(outcomes[0].error().notes.at(0), testing::HasSubstr("about to fail"));
  EXPECT_TRUE(outcomes[1]);
}

TEST(RunForked, AHangIsStoppedAtItsLimit) {
  ForkLimits limits;
  limits.wall_seconds = 1;
  const auto outcomes = run({{"group slow",
                              []() -> Result<std::string> {
                                for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
                              }}},
                            limits);
  ASSERT_FALSE(outcomes[0]);
  EXPECT_EQ(outcomes[0].error().code, "emit-timeout");
}

TEST(RunForked, MemoryBeyondTheLimitIsADiagnostic) {
  ForkLimits limits;
  limits.memory_bytes = std::int64_t{1} << 30;
  const auto outcomes = run({{"group big",
                              []() -> Result<std::string> {
                                std::vector<char> big(std::size_t{2} << 30, 'x');
                                return std::string(1, big[12345]);
                              }}},
                            limits);
  ASSERT_FALSE(outcomes[0]);
  EXPECT_EQ(outcomes[0].error().code, "emit-memory");
  EXPECT_EQ(outcomes[0].error().message,
            "group big: compiling needs more memory than the limit of 1024 MiB; give a simpler "
            "schedule or forbid a fusion in this group");
}

// Halide's errors are no std::exception. Thrown out of the pool they would be caught by the program
// that forked, which then ran on twice.
TEST(RunForked, WhateverAJobThrowsIsADiagnosticAndStaysInTheChild) {
  const pid_t parent = ::getpid();
  std::vector<Result<std::string>> outcomes;
  try {
    outcomes = run({{"group a", []() -> Result<std::string> { throw 7; }},
                    {"group b",
                     []() -> Result<std::string> { throw Halide::CompileError("too wide\n"); }},
                    {"group c",
                     []() -> Result<std::string> { throw std::runtime_error("broken"); }}});
  } catch (...) {
    if (::getpid() != parent) std::_Exit(1);
    FAIL() << "thrown in the parent";
  }
  ASSERT_EQ(::getpid(), parent);
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_EQ(to_text(outcomes[0].error()),
            "error: group a: something unknown was thrown; please report it [emit-exception]");
  EXPECT_EQ(to_text(outcomes[1].error()),
            "error: group b: Halide refuses: too wide; change the schedule, or please report it "
            "[emit-halide]");
  EXPECT_EQ(to_text(outcomes[2].error()),
            "error: group c: broken; please report it [emit-exception]");
}

TEST(RunForked, StopKillsWhatRunsAndStartsNoMore) {
  std::vector<ForkJob> jobs(5, {"group slow", []() -> Result<std::string> {
                                  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
                                }});
  int polls = 0;
  const auto outcomes = run_forked(jobs, 2, {}, {}, [&] { return ++polls > 2; });
  for (const auto& outcome : outcomes) {
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, "interrupted");
  }
}

}  // namespace
}  // namespace frit

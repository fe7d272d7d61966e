#include "runtime/cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

extern "C" {
#include "runtime/error.h"
}

namespace {

// cpuid of an Intel Skylake server, as published: every bit that the levels ask for, and more.
constexpr frit_cpu_facts kSkylake = {0x7ffefbff, 0xd39ffffb, 0x00000121, 0xe7};

frit_cpu_facts without(frit_cpu_facts facts, std::uint32_t frit_cpu_facts::*word, int bit) {
  facts.*word &= ~(std::uint32_t{1} << bit);
  return facts;
}

TEST(CpuLevel, IsTheHighestOfWhichNothingIsMissing) {
  EXPECT_EQ(frit_cpu_level_of(&kSkylake), FRIT_CPU_AVX512);
  const frit_cpu_facts none = {0, 0, 0, 0};
  EXPECT_EQ(frit_cpu_level_of(&none), 0);
  struct Case {
    std::uint32_t frit_cpu_facts::*word;
    int bit, level;
  };
  const Case cases[] = {
      {&frit_cpu_facts::leaf7_ebx, 16, 2},    // AVX512F
      {&frit_cpu_facts::leaf7_ebx, 31, 2},    // AVX512VL: Knights Landing has F and CD only
      {&frit_cpu_facts::xcr0, 5, 2},          // a system that does not save the mask registers
      {&frit_cpu_facts::xcr0, 7, 2},          // nor zmm16 to zmm31
      {&frit_cpu_facts::xcr0, 2, 1},          // nor ymm
      {&frit_cpu_facts::leaf7_ebx, 5, 1},     // AVX2: Sandy Bridge
      {&frit_cpu_facts::leaf7_ebx, 8, 1},     // BMI2
      {&frit_cpu_facts::leaf1_ecx, 12, 1},    // FMA
      {&frit_cpu_facts::leaf1_ecx, 29, 1},    // F16C
      {&frit_cpu_facts::leaf1_ecx, 27, 1},    // osxsave
      {&frit_cpu_facts::extended_ecx, 5, 1},  // lzcnt
      {&frit_cpu_facts::leaf1_ecx, 19, 0},    // SSE4.1
  };
  for (const Case& c : cases) {
    const frit_cpu_facts facts = without(kSkylake, c.word, c.bit);
    EXPECT_EQ(frit_cpu_level_of(&facts), c.level) << c.bit;
  }
}

TEST(CpuLevel, OfThisMachineIsWhatTheSystemSays) {
  std::ifstream file("/proc/cpuinfo");
  std::set<std::string> flags;
  for (std::string line; std::getline(file, line) && flags.empty();) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) flags.insert(word);
  }
  if (flags.empty()) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  const auto all = [&](const std::set<std::string>& wanted) {
    return std::ranges::includes(flags, wanted);
  };
  int level = 0;
  if (all({"pni", "ssse3", "cx16", "sse4_1"})) level = FRIT_CPU_BASELINE;
  if (level == 1 &&
      all({"avx", "avx2", "fma", "f16c", "bmi1", "bmi2", "abm", "movbe", "popcnt", "sse4_2"})) {
    level = FRIT_CPU_AVX2;
  }
  if (level == 2 && all({"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"})) {
    level = FRIT_CPU_AVX512;
  }
  EXPECT_EQ(frit_cpu_level(), level);
}

struct Choice {
  int code, level;
  bool operator==(const Choice&) const = default;
};

Choice choose(unsigned built, int wanted, int has) {
  Choice choice{0, -1};
  choice.code = frit_choose_cpu_level(built, wanted, has, &choice.level);
  return choice;
}

TEST(CpuLevel, OfAContextIsTheHighestBuiltThatTheCpuHasOrTheOneAskedFor) {
  constexpr unsigned kAll = 0b1110, kOuter = 0b1010, kHigh = 0b1100;
  EXPECT_EQ(choose(kAll, 0, 3), (Choice{0, 3}));
  EXPECT_EQ(choose(kAll, 0, 2), (Choice{0, 2}));
  EXPECT_EQ(choose(kOuter, 0, 2), (Choice{0, 1}));
  EXPECT_EQ(choose(kAll, 1, 3), (Choice{0, 1}));
  EXPECT_EQ(choose(kAll, 3, 2), (Choice{FRIT_CPU_LACKS_LEVEL, 0}));
  EXPECT_EQ(choose(kHigh, 0, 1), (Choice{FRIT_CPU_LACKS_LEVEL, 0}));
  EXPECT_EQ(choose(kAll, 0, 0), (Choice{FRIT_CPU_LACKS_LEVEL, 0}));
  EXPECT_EQ(choose(kOuter, 2, 3), (Choice{FRIT_CPU_LEVEL, 0}));
  for (const int odd : {-1, 4, 31, 32, 1 << 30}) {
    EXPECT_EQ(choose(kAll, odd, 3), (Choice{FRIT_CPU_LEVEL, 0})) << odd;
  }
  EXPECT_EQ(choose(0, 0, 0), (Choice{0, 0}));  // one target: not asked after
  EXPECT_EQ(choose(0, 2, 3), (Choice{FRIT_CPU_LEVEL, 0}));
}

}  // namespace

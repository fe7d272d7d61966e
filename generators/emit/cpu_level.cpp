#include "generators/emit/cpu_level.h"

#include <algorithm>

#include "generators/emit/target.h"
#include "runtime/cpu.h"

namespace frit {
namespace {

struct Known {
  const char* name;
  int number;
  const char* target;  // target.cpp's name
};
constexpr Known kKnown[] = {{"baseline", FRIT_CPU_BASELINE, "x86"},
                            {"avx2", FRIT_CPU_AVX2, "x86.avx2"},
                            {"avx512", FRIT_CPU_AVX512, "x86.avx512"}};

}  // namespace

Result<std::vector<CpuLevel>> parse_cpu_levels(const std::vector<std::string>& names, bool debug) {
  for (const std::string& name : names) {
    if (std::ranges::any_of(kKnown, [&](const Known& known) { return name == known.name; }))
      continue;
    return fail("cpu-level",
                "'" + name + "' is no CPU level; use a list of baseline, avx2 and avx512");
  }
  std::vector<CpuLevel> levels;
  for (const Known& known : kKnown) {
    if (std::ranges::count(names, known.name) == 0) continue;
    const auto target = parse_target(known.target, debug);
    if (!target) return fail(target.error());
    levels.push_back({known.number, known.name, *target});
  }
  return levels;
}

}  // namespace frit

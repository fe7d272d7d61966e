#include "apps/frit/pin.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>

#include "apps/frit/host.h"

namespace frit {

Status pin_process(int first, int count, std::vector<int>& pinned) {
  const std::vector<int> allowed = host_facts().affinity;
  count = std::min<int>(count, static_cast<int>(allowed.size()));
  auto start = allowed.end() - count;
  if (first >= 0) start = std::find(allowed.begin(), allowed.end(), first);
  if (allowed.end() - start < count) {
    return fail("cli-pin", fmt::format("--pin {} leaves fewer than {} cores of those allowed; "
                                       "name a lower core",
                                       first, count));
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  pinned.assign(start, start + count);
  for (const int core : pinned) CPU_SET(static_cast<std::size_t>(core), &set);
  sched_setaffinity(0, sizeof set, &set);
  return {};
}

}  // namespace frit

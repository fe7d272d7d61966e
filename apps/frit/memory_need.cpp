#include "apps/frit/memory_need.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace frit {
namespace {

constexpr double kGigabyte = 1e9;

// As doubles, in the sizes of MemoryUse: a static shape has at most 2^31 elements (ops/limits.h).
double bytes_of(const TensorType& type, MemoryUse use) {
  const auto elements = static_cast<double>(type.elements());
  const auto stored = static_cast<double>(type.bytes());
  return use == MemoryUse::kVerify ? stored + 2 * 8 * elements : stored + 8 * elements;
}

}  // namespace

std::int64_t memory_limit() {
  std::int64_t limit = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
    limit = std::min(limit, static_cast<std::int64_t>(space.rlim_cur));
  }
  return limit;
}

Status check_memory(const Graph& graph, MemoryUse use, std::int64_t limit) {
  double ends = 0.0;
  for (const auto* values : {&graph.inputs, &graph.outputs}) {
    for (const ValueId id : *values) ends += bytes_of(graph.value(id).type, use);
  }
  double largest = 0.0;
  std::string name;
  for (const Node& node : graph.nodes()) {
    for (const ValueId id : node.outputs) {
      if (id == kNone || graph.is_output(id) || graph.value(id).constant) continue;
      const double bytes = bytes_of(graph.value(id).type, use);
      if (bytes <= largest) continue;
      largest = bytes;
      name = graph.value(id).name;
    }
  }
  if (ends + largest <= static_cast<double>(limit)) return {};
  const std::string inner =
      largest > 0.0 ? fmt::format(" and {:.1f} GB for '{}'", largest / kGigabyte, name) : "";
  return fail("input-memory",
              fmt::format("{} the model takes at least {:.1f} GB for its inputs and outputs{}, but "
                          "this process may have {:.1f} GB; pass a smaller --shape, or do it on a "
                          "larger machine",
                          use == MemoryUse::kVerify ? "verifying" : "running", ends / kGigabyte,
                          inner, static_cast<double>(limit) / kGigabyte));
}

Diagnostic out_of_memory() {
  return error("input-memory",
               fmt::format("the model takes more memory than this process may have ({:.1f} GB in "
                           "all, less what others use); pass a smaller --shape, or do it on a "
                           "larger machine",
                           static_cast<double>(memory_limit()) / kGigabyte));
}

}  // namespace frit

#include "schedules/storage.h"

#include <algorithm>

namespace frit {
namespace {

std::int64_t element_bytes(const StageState& state) {
  std::int64_t bytes = 0;
  for (const Halide::Type& type : state.stage->func.types()) bytes += type.bytes();
  return bytes;
}

// Iterations of `variable` left inside of one iteration of `site`: the axis's extent over the trip
// counts of the loops made from it, from the outermost down to the site.
std::optional<std::int64_t> left_inside(const StageState& consumer, const Site& site,
                                        const std::string& variable) {
  const auto known = consumer.extents.find(site.definition);
  if (known == consumer.extents.end()) return std::nullopt;
  std::vector<Loop> loops = loops_of(consumer, site.definition);
  std::reverse(loops.begin(), loops.end());
  std::int64_t left = -1;
  for (std::size_t a = 0; a < consumer.stage->axes.size(); ++a) {
    if (consumer.stage->axes[a].name() == variable) left = consumer.stage->extents[a];
  }
  if (left < 0) return std::nullopt;
  for (const Loop& loop : loops) {
    if (loop.roots.contains(variable)) {
      const auto trips = known->second.find(loop.name);
      if (loop.roots.size() > 1 || trips == known->second.end()) return std::nullopt;
      left = (left + trips->second - 1) / std::max<std::int64_t>(1, trips->second);
    }
    if (loop.name == site.loop.name) return left;
  }
  return std::nullopt;
}

std::int64_t extent_of(const StageState& consumer, const std::string& variable) {
  for (std::size_t a = 0; a < consumer.stage->axes.size(); ++a) {
    if (consumer.stage->axes[a].name() == variable) return consumer.stage->extents[a];
  }
  return 0;
}

}  // namespace

std::int64_t storage_bytes_at_root(const StageState& stage) {
  std::int64_t bytes = element_bytes(stage);
  for (const std::int64_t extent : stage.stage->extents) bytes *= extent;
  return bytes;
}

std::optional<std::int64_t> storage_bytes_at(const LoopNest& nest, const StageState& stage,
                                             const Site& site) {
  const std::vector<Use>& uses = nest.uses(stage);
  if (uses.size() != 1 || uses[0].consumer != site.stage) return std::nullopt;
  std::int64_t bytes = element_bytes(stage);
  for (std::size_t d = 0; d < stage.stage->order.size(); ++d) {
    const std::int64_t whole =
        stage.stage->extents[static_cast<std::size_t>(stage.stage->order[d])];
    if (d >= uses[0].variables.size() || uses[0].variables[d].size() > 1) return std::nullopt;
    if (uses[0].variables[d].empty()) continue;
    const std::string& variable = *uses[0].variables[d].begin();
    const auto inside = left_inside(*site.stage, site, variable);
    if (!inside) return std::nullopt;
    const std::int64_t reach = std::max<std::int64_t>(0, whole - extent_of(*site.stage, variable));
    bytes *= std::min(whole, *inside + reach);
  }
  return bytes;
}

}  // namespace frit

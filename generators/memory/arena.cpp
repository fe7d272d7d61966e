// Greedy placement under several orders, then a short seeded search over orders.
//
// Placing ranges one by one, each at the lowest offset free during its life, reaches an optimal
// plan for some order: sort any optimal plan by offset, and every range lands no higher than there.
// So the search is over orders only. The orders by size, by life and by size x life are tried with
// lowest and with best fit; while the best of them stays above the lower bound, ranges that reach
// the peak are moved forward, up to kSearchSteps times. Cost: O(ranges^2) a placement.
#include "generators/memory/arena.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "ops/base/assert.h"

namespace frit {
namespace {

constexpr int kSearchSteps = 400;
constexpr std::size_t kSearchRanges = 2000;  ///< above: greedy only, to stay under a second

std::int64_t round_up(std::int64_t bytes, std::int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

bool alive_together(const LiveRange& a, const LiveRange& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

enum class Fit { kLowest, kBest };

class Placer {
 public:
  Placer(const std::vector<LiveRange>& ranges, std::int64_t alignment) : ranges_(ranges) {
    for (const LiveRange& range : ranges) sizes_.push_back(round_up(range.bytes, alignment));
  }

  ArenaPlan place(const std::vector<std::size_t>& order, Fit fit) const {
    ArenaPlan plan;
    plan.offsets.assign(ranges_.size(), 0);
    std::vector<std::size_t> placed;  // sorted by offset
    for (const std::size_t range : order) {
      if (sizes_[range] == 0) continue;
      const std::int64_t offset = free_offset(plan, placed, range, fit);
      plan.offsets[range] = offset;
      plan.peak_bytes = std::max(plan.peak_bytes, offset + sizes_[range]);
      const auto behind = std::upper_bound(
          placed.begin(), placed.end(), offset,
          [&](std::int64_t at, std::size_t other) { return at < plan.offsets[other]; });
      placed.insert(behind, range);
    }
    return plan;
  }

  std::int64_t size(std::size_t range) const { return sizes_[range]; }

  std::int64_t lower_bound() const {
    std::int64_t most = 0;
    for (const LiveRange& at : ranges_) {  // the sum can only grow where a range begins
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < ranges_.size(); ++i) {
        const bool alive =
            ranges_[i].first_step <= at.first_step && at.first_step <= ranges_[i].last_step;
        if (alive) sum += sizes_[i];
      }
      most = std::max(most, sum);
    }
    return most;
  }

 private:
  std::int64_t free_offset(const ArenaPlan& plan, const std::vector<std::size_t>& placed,
                           std::size_t range, Fit fit) const {
    std::int64_t top = 0;  // end of the ranges seen so far that are alive together with `range`
    std::int64_t best = -1;
    std::int64_t best_gap = std::numeric_limits<std::int64_t>::max();
    for (const std::size_t other : placed) {
      if (!alive_together(ranges_[range], ranges_[other])) continue;
      const std::int64_t gap = plan.offsets[other] - top;
      if (gap >= sizes_[range] && gap < best_gap) {
        best = top;
        best_gap = gap;
        if (fit == Fit::kLowest) return best;
      }
      top = std::max(top, plan.offsets[other] + sizes_[other]);
    }
    return best >= 0 ? best : top;
  }

  const std::vector<LiveRange>& ranges_;
  std::vector<std::int64_t> sizes_;  ///< rounded up to the alignment
};

/// Orders worth trying; ties are broken by position, so that the plan repeats.
std::vector<std::vector<std::size_t>> greedy_orders(const std::vector<LiveRange>& ranges) {
  const auto life = [&](std::size_t i) {
    return static_cast<std::int64_t>(ranges[i].last_step - ranges[i].first_step + 1);
  };
  std::vector<std::size_t> identity(ranges.size());
  std::iota(identity.begin(), identity.end(), std::size_t{0});
  std::vector<std::vector<std::size_t>> orders(5, identity);
  const auto sort_by = [&](std::size_t k, auto key) {
    std::stable_sort(orders[k].begin(), orders[k].end(),
                     [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  };
  sort_by(0, [&](std::size_t i) { return std::pair(ranges[i].bytes, life(i)); });
  sort_by(1, [&](std::size_t i) { return std::pair(life(i), ranges[i].bytes); });
  sort_by(2, [&](std::size_t i) {
    return static_cast<double>(ranges[i].bytes) * static_cast<double>(life(i));
  });
  sort_by(3, [&](std::size_t i) { return std::pair(-ranges[i].first_step, ranges[i].bytes); });
  sort_by(4, [&](std::size_t i) { return std::pair(ranges[i].last_step, ranges[i].bytes); });
  return orders;
}

/// Hill climbing: a range that ends at the peak is moved to a random earlier place in the order.
void search(const Placer& placer, std::vector<std::size_t> order, std::int64_t lower_bound,
            ArenaPlan& best) {
  std::mt19937 random(1);  // fixed: the same ranges give the same plan
  ArenaPlan current = placer.place(order, Fit::kLowest);
  for (int step = 0; step < kSearchSteps && best.peak_bytes > lower_bound; ++step) {
    std::vector<std::size_t> at_peak;  // positions in `order`
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::int64_t end = current.offsets[order[k]] + placer.size(order[k]);
      if (k > 0 && end == current.peak_bytes) at_peak.push_back(k);
    }
    if (at_peak.empty()) return;
    const std::size_t from = at_peak[random() % at_peak.size()];
    const std::size_t to = random() % from;
    std::vector<std::size_t> next = order;
    std::rotate(next.begin() + static_cast<std::ptrdiff_t>(to),
                next.begin() + static_cast<std::ptrdiff_t>(from),
                next.begin() + static_cast<std::ptrdiff_t>(from) + 1);
    ArenaPlan plan = placer.place(next, Fit::kLowest);
    if (plan.peak_bytes > current.peak_bytes) continue;
    order = std::move(next);
    current = std::move(plan);
    if (current.peak_bytes < best.peak_bytes) best = current;
  }
}

}  // namespace

ArenaPlan plan_arena(const std::vector<LiveRange>& ranges, std::int64_t alignment) {
  FRIT_ASSERT(alignment > 0, "arena alignment must be positive");
  for (const LiveRange& range : ranges) {
    FRIT_ASSERT(range.bytes >= 0 && range.first_step <= range.last_step,
                "live range " + range.name + " is empty or negative");
  }
  const Placer placer(ranges, alignment);
  const std::int64_t lower_bound = placer.lower_bound();
  ArenaPlan best;
  best.offsets.assign(ranges.size(), 0);
  std::vector<std::size_t> best_order;
  for (const std::vector<std::size_t>& order : greedy_orders(ranges)) {
    for (const Fit fit : {Fit::kLowest, Fit::kBest}) {
      ArenaPlan plan = placer.place(order, fit);
      if (!best_order.empty() && plan.peak_bytes >= best.peak_bytes) continue;
      best = std::move(plan);
      best_order = order;
    }
  }
  if (ranges.size() <= kSearchRanges) search(placer, best_order, lower_bound, best);
  best.lower_bound_bytes = lower_bound;
  return best;
}

}  // namespace frit

#include "generators/fusion/halo.h"

#include <algorithm>

namespace frit {
namespace {

struct Wish {
  std::vector<std::int64_t> low, high;
  double fill = 0.0;
  std::int64_t work = 0;
};

std::int64_t at_or_zero(const std::vector<std::int64_t>& v, std::size_t i) {
  return i < v.size() ? std::max<std::int64_t>(v[i], 0) : 0;
}

/// Wishes of the direct readers of `value`; `closed_axis` (-1: none) has neighbours, not a border.
void collect(const GraphFacts& facts, ValueId value, int closed_axis, std::vector<Wish>& wishes) {
  const auto rank = static_cast<std::size_t>(facts.graph().value(value).type.rank());
  for (const int user : facts.users(value)) {
    const NodeFacts& reader = facts.at(user);
    for (std::size_t i = 0; i < reader.node->inputs.size(); ++i) {
      if (reader.node->inputs[i] != value) continue;
      const Operator::Reach reach = reader.rule->reach(reader.op, i);
      Wish wish{std::vector<std::int64_t>(rank), std::vector<std::int64_t>(rank), reach.fill,
                reader.counts.flop};
      bool any = false, across = false;
      for (std::size_t a = 0; a < rank; ++a) {
        wish.low[a] = at_or_zero(reach.low, a);
        wish.high[a] = at_or_zero(reach.high, a);
        const bool here = wish.low[a] > 0 || wish.high[a] > 0;
        any = any || here;
        across = across || (here && static_cast<int>(a) == closed_axis);
      }
      if (any && !across) wishes.push_back(std::move(wish));
    }
  }
}

void collect_all(const GraphFacts& facts, const PartMap& parts, ValueId value, int closed_axis,
                 std::vector<Wish>& wishes) {
  collect(facts, value, closed_axis, wishes);
  for (const auto& [part, place] : parts) {
    if (place.whole == value) collect_all(facts, parts, part, place.axis, wishes);
  }
}

}  // namespace

void add_halo(const GraphFacts& facts, const PartMap& parts, ValueId value, Storage& storage) {
  std::vector<Wish> wishes;
  collect_all(facts, parts, value, -1, wishes);
  if (wishes.empty()) return;
  std::map<double, std::int64_t> work;
  for (const Wish& wish : wishes) work[wish.fill] += wish.work;
  const auto most = std::max_element(
      work.begin(), work.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::size_t rank = wishes[0].low.size();
  storage.halo_low.assign(rank, 0);
  storage.halo_high.assign(rank, 0);
  storage.halo_fill = most->first;
  for (const Wish& wish : wishes) {
    if (wish.fill != storage.halo_fill) continue;
    for (std::size_t a = 0; a < rank; ++a) {
      storage.halo_low[a] = std::max(storage.halo_low[a], wish.low[a]);
      storage.halo_high[a] = std::max(storage.halo_high[a], wish.high[a]);
    }
  }
}

}  // namespace frit

#include "generators/fusion/grouping.h"

#include <fmt/format.h>

#include <algorithm>

namespace frit {
namespace {

using Members = Grouping::Members;

class Grouper {
 public:
  Grouper(const GraphFacts& facts, const Layout& layout, const PlanOptions& options)
      : facts_(facts), graph_(facts.graph()), layout_(layout), options_(options) {
    grouping_.group_of.assign(static_cast<std::size_t>(facts.size()), -1);
    times_.assign(static_cast<std::size_t>(facts.size()), 1.0);
  }

  Grouping run() {
    for (int p = 0; p < facts_.size(); ++p) {
      if (is_view(p)) open_group(p).alias = true;
    }
    for (int p = 0; p < facts_.size(); ++p) {
      if (is_anchor(p)) open_group(p).anchor = p;
    }
    for (std::size_t g = 0; g < grouping_.groups.size(); ++g) {
      if (grouping_.groups[g].anchor >= 0) grow(static_cast<int>(g));
    }
    for (int p = 0; p < facts_.size(); ++p) {
      if (group_of(p) >= 0) continue;
      open_group(p);
      grow(static_cast<int>(grouping_.groups.size()) - 1);
    }
    for (int p = facts_.size() - 1; p >= 0; --p) absorb(p);
    drop_empty();
    return std::move(grouping_);
  }

 private:
  bool is_view(int p) const { return layout_.views.count(facts_.at(p).node->id) > 0; }
  bool is_anchor(int p) const {
    const OpKind kind = facts_.at(p).kind;
    return !is_view(p) && (kind == OpKind::kReduction || kind == OpKind::kChain);
  }
  int& group_of(int p) { return grouping_.group_of[static_cast<std::size_t>(p)]; }
  Members& group(int g) { return grouping_.groups[static_cast<std::size_t>(g)]; }

  Members& open_group(int p) {
    group_of(p) = static_cast<int>(grouping_.groups.size());
    grouping_.groups.emplace_back();
    grouping_.groups.back().nodes.push_back(p);
    return grouping_.groups.back();
  }

  void refuse(int producer, int consumer, const Refusal& refusal,
              std::vector<CostTerm> terms = {}) {
    grouping_.refusals[{producer, consumer}] = {refusal, std::move(terms)};
  }

  std::vector<bool> inside(int g, const std::vector<int>& more) const {
    std::vector<bool> marks(static_cast<std::size_t>(facts_.size()), false);
    for (const int p : grouping_.groups[static_cast<std::size_t>(g)].nodes) {
      marks[static_cast<std::size_t>(p)] = true;
    }
    for (const int p : more) marks[static_cast<std::size_t>(p)] = true;
    return marks;
  }

  /// Takes region after region into group g.
  void grow(int g) {
    while (true) {
      const ValueId value = result_of(facts_, group(g));
      if (value == kNone) return;
      const int maker = facts_.producer(value);
      const int meet = facts_.post_dominator(maker);
      const std::vector<int> region =
          meet < facts_.size() ? facts_.between(maker, meet) : std::vector<int>{};
      if (!region_joins(g, value, region)) return;
      for (const int p : region) {
        group_of(p) = g;
        group(g).nodes.push_back(p);
      }
      std::sort(group(g).nodes.begin(), group(g).nodes.end());
    }
  }

  /// Every node of the region may join; else records why the value stays in memory.
  bool region_joins(int g, ValueId value, const std::vector<int>& region) {
    const int maker = facts_.producer(value);
    std::map<int, Refusal> why;
    const auto size = region.empty()
                          ? std::nullopt
                          : size_refusal(group(g).nodes.size() + region.size(), region.front());
    if (size) why[region.front()] = *size;
    for (const int p : region) {
      const auto refusal = join_refusal(g, value, p, region);
      if (refusal) why[p] = *refusal;
    }
    if (!region.empty() && why.empty()) return true;
    const std::vector<bool> marks = inside(g, {});
    for (const int user : facts_.users(value)) {
      if (marks[static_cast<std::size_t>(user)]) continue;
      const auto own =
          why.count(user) > 0 ? std::optional(why[user]) : join_refusal(g, value, user, {});
      const auto use = use_refusal(facts_, value, user, marks);
      // The user's own fault says more than that others read the value too.
      if (own) {
        refuse(maker, user, *own);
      } else if (use) {
        refuse(maker, user, *use);
      } else if (!why.empty()) {
        refuse(maker, user, why.begin()->second);
      }
    }
    return false;
  }

  std::optional<Refusal> size_refusal(std::size_t nodes, int joining) const {
    const auto most = static_cast<std::size_t>(options_.machine.most_nodes);
    if (nodes <= most) return std::nullopt;
    return Refusal{"too-large",
                   fmt::format("with {} the kernel would have {} nodes, but {} are the most that "
                               "compile in good time",
                               label(*facts_.at(joining).node), nodes, most)};
  }

  /// Node p, somewhere behind `value`, as part of group g's loops.
  std::optional<Refusal> join_refusal(int g, ValueId value, int p, const std::vector<int>& region) {
    const Members& members = group(g);
    const NodeFacts& node = facts_.at(p);
    for (const ValueId input : node.node->inputs) {
      const int maker = input == kNone ? -1 : facts_.producer(input);
      if (maker < 0) continue;
      const bool joins = std::binary_search(region.begin(), region.end(), maker);
      if (!joins && group_of(maker) != g) continue;
      if (auto pair = pair_refusal(facts_, options_, maker, p)) return pair;
    }
    for (const auto* others : {&members.nodes, &region}) {
      if (auto forbidden = forbid_refusal(facts_, options_, *others, p)) return forbidden;
    }
    if (is_view(p)) {
      return Refusal{"layout", fmt::format("'{}' is in memory and {} is a view of it, which no "
                                           "kernel computes",
                                           graph_.value(value).name, label(*node.node))};
    }
    const auto level = level_refusal(members.anchor, facts_.producer(value), p);
    if (level) return level;
    if (is_anchor(p)) return anchor_refusal(members, value, p);
    if (group_of(p) >= 0 && group_of(p) != g) {
      return Refusal{
          "two-reductions",
          fmt::format("{} would end the kernel of '{}', but it already ends the one of {}",
                      label(*node.node), graph_.value(value).name,
                      label(*facts_.at(group(group_of(p)).nodes.front()).node))};
    }
    if (node.kind == OpKind::kInjective) return injective_refusal(value, p);
    const auto refusal = epilogue_refusal(facts_, members.anchor, value, p);
    if (refusal) return refusal;
    if (node.layout && members.anchor >= 0) {
      return Refusal{"layout", fmt::format("{} writes '{}' channels-last, vector by vector, but {} "
                                           "leaves the order of the graph's caller",
                                           label(*facts_.at(members.anchor).node),
                                           graph_.value(value).name, label(*node.node))};
    }
    return std::nullopt;
  }

  std::optional<Refusal> level_refusal(int anchor, int producer, int consumer) const {
    const bool grows = options_.level == FusionLevel::kGreedy ||
                       (options_.level == FusionLevel::kElementwise && anchor < 0);
    if (grows) return std::nullopt;
    if (is_forced(facts_, options_, producer, consumer)) return std::nullopt;
    return Refusal{
        "user-forbid",
        fmt::format("{} could go on in the kernel of {}, but --fusion {} keeps them apart",
                    label(*facts_.at(consumer).node), label(*facts_.at(producer).node),
                    options_.level == FusionLevel::kNone ? "none" : "elementwise")};
  }

  Refusal anchor_refusal(const Members& members, ValueId value, int p) const {
    const std::string& name = graph_.value(value).name;
    const std::string reader = label(*facts_.at(p).node);
    if (members.anchor < 0) {
      return {"recompute", fmt::format("{} reads '{}' many times, but its kernel computes it once",
                                       reader, name)};
    }
    return {"two-reductions",
            fmt::format("'{}' comes out of the reduction {}, but {} reduces again: each of its "
                        "results would repeat part of the first",
                        name, label(*facts_.at(members.anchor).node), reader)};
  }

  Refusal injective_refusal(ValueId value, int p) const {
    const auto why = layout_.refusals.find(facts_.at(p).node->id);
    if (why != layout_.refusals.end()) return {why->second.code, why->second.sentence};
    return {"shape", fmt::format("the loops run over '{}', but {} moves its elements",
                                 graph_.value(value).name, label(*facts_.at(p).node))};
  }

  /// Step 3 for the group that node p ends, if it has no anchor.
  void absorb(int p) {
    const int g = group_of(p);
    if (group(g).alias || group(g).anchor >= 0 || group(g).nodes.back() != p) return;
    if (facts_.at(p).kind == OpKind::kOpaque || facts_.at(p).kind == OpKind::kShape) return;
    const ValueId value = result_of(facts_, group(g));
    if (value == kNone || facts_.producer(value) != p) return;
    int host = -1;
    bool same = true;
    for (const int user : facts_.users(value)) {
      same = same && (host < 0 || host == group_of(user));
      host = group_of(user);
    }
    for (const int user : facts_.users(value)) {
      const auto refusal = absorb_refusal(p, user, value, same && host >= 0);
      if (!refusal) continue;
      for (const int each : facts_.users(value)) {
        if (grouping_.refusals.count({p, each}) == 0 || each == user) {
          refuse(p, each, refusal->refusal, refusal->terms);
        }
      }
      return;
    }
    if (host >= 0 && host != g) move_into(g, host, value);
  }

  std::optional<Grouping::Why> absorb_refusal(int p, int user, ValueId value, bool one_host) {
    const int host = group_of(user);
    if (auto pair = pair_refusal(facts_, options_, p, user)) return Grouping::Why{*pair, {}};
    for (const int member : group(group_of(p)).nodes) {
      auto forbidden = forbid_refusal(facts_, options_, group(host).nodes, member);
      if (forbidden) return Grouping::Why{*forbidden, {}};
    }
    if (graph_.is_output(value) || !one_host) {
      std::vector<bool> marks = inside(host, {});
      if (auto use = use_refusal(facts_, value, user, marks)) return Grouping::Why{*use, {}};
    }
    const Members& members = group(host);
    if (members.alias) {
      return Grouping::Why{
          {"layout", fmt::format("'{}' is in memory and {} is a view of it, which "
                                 "no kernel computes",
                                 graph_.value(value).name, label(*facts_.at(user).node))},
          {}};
    }
    const auto kind = facts_.at(user).kind;
    if (kind == OpKind::kOpaque || kind == OpKind::kShape) return std::nullopt;
    if (auto level = level_refusal(members.anchor, p, user)) return Grouping::Why{*level, {}};
    const std::size_t both = members.nodes.size() + group(group_of(p)).nodes.size();
    if (auto size = size_refusal(both, p)) return Grouping::Why{*size, {}};
    return cost_refusal(p, user, value);
  }

  std::optional<Grouping::Why> cost_refusal(int p, int user, ValueId value) {
    const bool forced = is_forced(facts_, options_, p, user);
    if (!forced && user == group(group_of(user)).anchor) {
      if (auto loop = inner_loop_refusal(p, user, value)) return Grouping::Why{*loop, {}};
    }
    double operations = 0.0;
    for (const int member : group(group_of(p)).nodes) {
      operations += operations_of(facts_.at(member).counts, options_.machine);
    }
    const double times = times_[static_cast<std::size_t>(user)];
    Profit profit = prologue_profit(facts_, operations, times, value, user, options_.machine);
    if (!profit.worth && !forced) {
      return Grouping::Why{{profit.code, profit.sentence}, std::move(profit.terms)};
    }
    grouping_.terms[{p, user}] = std::move(profit.terms);
    return std::nullopt;
  }

  /// What would put a choice into the anchor's inner loop: moved elements, a border.
  std::optional<Refusal> inner_loop_refusal(int p, int anchor, ValueId value) const {
    const NodeFacts& reader = facts_.at(anchor);
    const std::string& name = graph_.value(value).name;
    const int g = grouping_.group_of[static_cast<std::size_t>(p)];
    for (const int member : grouping_.groups[static_cast<std::size_t>(g)].nodes) {
      const NodeFacts& node = facts_.at(member);
      if (node.kind != OpKind::kInjective && !node.layout) continue;
      return Refusal{"inner-loop", fmt::format("{} reads '{}' in its inner loop, but {} would put "
                                               "its index choice there",
                                               label(*reader.node), name, label(*node.node))};
    }
    for (std::size_t i = 0; i < reader.node->inputs.size(); ++i) {
      if (reader.node->inputs[i] != value) continue;
      const Operator::Reach reach = reader.rule->reach(reader.op, i);
      const auto beyond = [](std::int64_t n) { return n > 0; };
      if (std::none_of(reach.low.begin(), reach.low.end(), beyond) &&
          std::none_of(reach.high.begin(), reach.high.end(), beyond)) {
        continue;
      }
      return Refusal{"inner-loop",
                     fmt::format("{} reads '{}' beyond its border in its inner loop, but only a "
                                 "stored value has its border filled",
                                 label(*reader.node), name)};
    }
    return std::nullopt;
  }

  void move_into(int g, int host, ValueId value) {
    double times = 1.0;
    for (const int user : facts_.users(value)) {
      times = std::max(times, times_[static_cast<std::size_t>(user)] *
                                  evaluations_in(facts_, value, user, options_.machine));
    }
    for (const int p : group(g).nodes) {
      group_of(p) = host;
      times_[static_cast<std::size_t>(p)] = times;
      group(host).nodes.push_back(p);
    }
    std::sort(group(host).nodes.begin(), group(host).nodes.end());
    group(g).nodes.clear();
  }

  void drop_empty() {
    std::vector<Members> kept;
    for (Members& members : grouping_.groups) {
      if (members.nodes.empty()) continue;
      for (const int p : members.nodes) group_of(p) = static_cast<int>(kept.size());
      kept.push_back(std::move(members));
    }
    grouping_.groups = std::move(kept);
  }

  const GraphFacts& facts_;
  const Graph& graph_;
  const Layout& layout_;
  const PlanOptions& options_;
  Grouping grouping_;
  std::vector<double> times_;  ///< how often each element of a node's result is computed
};

}  // namespace

std::vector<ValueId> results_of(const GraphFacts& facts, const Grouping::Members& group) {
  const Graph& graph = facts.graph();
  std::vector<ValueId> results;
  for (const int p : group.nodes) {
    for (const ValueId output : facts.at(p).node->outputs) {
      if (output == kNone) continue;
      bool outside = graph.is_output(output);
      for (const int user : facts.users(output)) {
        outside = outside || !std::binary_search(group.nodes.begin(), group.nodes.end(), user);
      }
      if (outside) results.push_back(output);
    }
  }
  return results;
}

ValueId result_of(const GraphFacts& facts, const Grouping::Members& group) {
  const std::vector<ValueId> results = results_of(facts, group);
  return results.size() == 1 ? results[0] : kNone;
}

Grouping choose_groups(const GraphFacts& facts, const Layout& layout, const PlanOptions& options) {
  return Grouper(facts, layout, options).run();
}

}  // namespace frit

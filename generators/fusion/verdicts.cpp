#include "generators/fusion/verdicts.h"

#include <fmt/format.h>

#include <algorithm>

namespace frit {
namespace {

std::string kilobytes(std::int64_t bytes) {
  return bytes < 1024 ? fmt::format("{} B", bytes)
                      : fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1024);
}

class Judge {
 public:
  Judge(const GraphFacts& facts, const Layout& layout, const Grouping& grouping,
        const PlanOptions& options)
      : facts_(facts), layout_(layout), grouping_(grouping), options_(options) {}

  EdgeVerdict judge(int producer, int consumer, ValueId value) const {
    EdgeVerdict verdict;
    verdict.producer = facts_.at(producer).node->id;
    verdict.consumer = facts_.at(consumer).node->id;
    verdict.value = value;
    verdict.terms = traffic_terms(facts_.graph(), value, options_.machine);
    if (group(producer) == group(consumer)) {
      fuse(producer, consumer, value, verdict);
    } else if (is_view(producer) || is_view(consumer)) {
      see(producer, consumer, value, verdict);
    } else {
      refuse(producer, consumer, value, verdict);
    }
    return verdict;
  }

 private:
  int group(int p) const { return grouping_.group_of[static_cast<std::size_t>(p)]; }
  bool is_view(int p) const { return layout_.views.count(facts_.at(p).node->id) > 0; }
  const std::string& name(ValueId v) const { return facts_.graph().value(v).name; }

  void fuse(int producer, int consumer, ValueId value, EdgeVerdict& verdict) const {
    verdict.fused = true;
    verdict.code = "fused";
    verdict.sentence = fmt::format(
        "'{}' ({}) stays in the kernel of {} and {} instead of being written and read again",
        name(value), kilobytes(facts_.graph().value(value).type.bytes()),
        label(*facts_.at(producer).node), label(*facts_.at(consumer).node));
    const auto terms = grouping_.terms.find({producer, consumer});
    if (terms != grouping_.terms.end()) verdict.terms = terms->second;
  }

  void see(int producer, int consumer, ValueId value, EdgeVerdict& verdict) const {
    verdict.fused = true;
    verdict.code = "view";
    const int view = is_view(consumer) ? consumer : producer;
    verdict.sentence =
        fmt::format("{} costs nothing: '{}' is seen, or written, in place with other strides",
                    label(*facts_.at(view).node), name(value));
  }

  void refuse(int producer, int consumer, ValueId value, EdgeVerdict& verdict) const {
    const auto recorded = grouping_.refusals.find({producer, consumer});
    if (recorded != grouping_.refusals.end()) {
      verdict.code = recorded->second.refusal.code;
      verdict.sentence = recorded->second.refusal.sentence;
      if (!recorded->second.terms.empty()) verdict.terms = recorded->second.terms;
      return;
    }
    std::vector<bool> inside(static_cast<std::size_t>(facts_.size()), false);
    for (const int p : grouping_.groups[static_cast<std::size_t>(group(consumer))].nodes) {
      inside[static_cast<std::size_t>(p)] = true;
    }
    const auto pair = pair_refusal(facts_, options_, producer, consumer);
    const auto use = use_refusal(facts_, value, consumer, inside);
    const auto& refusal = pair ? pair : use;
    verdict.code = refusal ? refusal->code : "user-forbid";
    verdict.sentence =
        refusal
            ? refusal->sentence
            : fmt::format(
                  "{} could read '{}' in the kernel of {}, but the plan file keeps "
                  "them apart",
                  label(*facts_.at(consumer).node), name(value), label(*facts_.at(producer).node));
  }

  const GraphFacts& facts_;
  const Layout& layout_;
  const Grouping& grouping_;
  const PlanOptions& options_;
};

}  // namespace

std::vector<EdgeVerdict> make_verdicts(const GraphFacts& facts, const Layout& layout,
                                       const Grouping& grouping, const PlanOptions& options) {
  const Judge judge(facts, layout, grouping, options);
  std::vector<EdgeVerdict> verdicts;
  for (int p = 0; p < facts.size(); ++p) {
    std::vector<ValueId> seen;
    for (const ValueId input : facts.at(p).node->inputs) {
      const int maker = input == kNone ? -1 : facts.producer(input);
      if (maker < 0 || std::find(seen.begin(), seen.end(), input) != seen.end()) continue;
      seen.push_back(input);
      verdicts.push_back(judge.judge(maker, p, input));
    }
  }
  return verdicts;
}

}  // namespace frit

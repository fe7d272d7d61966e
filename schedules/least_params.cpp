#include "schedules/least_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "schedules/expression.h"

namespace frit {
namespace {

using Kind = ScheduleItem::Kind;

constexpr std::int64_t kMostCombinations = 100000;

// Goes down the items; a param that is free branches.
class Search {
 public:
  Search(const ScheduleAst& ast, const ScheduleItem& goal, const Facts& facts, const Facts& chosen)
      : ast_(ast), goal_(goal), chosen_(chosen), names_(facts) {}

  Result<Facts> run() {
    FRIT_TRY(from(0));
    if (best_) return best_params_;
    return fail(error_at(ast_, goal_.span, "sched-minimise",
                         "no values of the params satisfy every constraint; widen a set"));
  }

 private:
  Status from(std::size_t index) {
    for (; index < ast_.items.size(); ++index) {
      const ScheduleItem& item = ast_.items[index];
      if (item.kind == Kind::kConstraint && !holds(ast_, item.value, names_)) return {};
      if (item.kind == Kind::kParam) return branch(item, index);
      if (item.kind == Kind::kLet) {
        const auto value = evaluate(ast_, item.value, names_);
        if (!value) return fail(value.error());
        names_[item.name] = *value;
      }
    }
    return weigh();
  }

  Status branch(const ScheduleItem& item, std::size_t index) {
    const auto fixed = chosen_.find(item.name);
    if (fixed != chosen_.end()) {
      names_[item.name] = params_[item.name] = fixed->second;
      return from(index + 1);
    }
    std::vector<std::int64_t> values;
    const auto add = [&](const Expression& expression) -> Status {
      const auto value = evaluate(ast_, expression, names_);
      if (!value) return fail(value.error());
      if (std::find(values.begin(), values.end(), *value) == values.end()) values.push_back(*value);
      return {};
    };
    FRIT_TRY(add(item.value));
    for (const Expression& choice : item.choices) FRIT_TRY(add(choice));
    for (const std::int64_t value : values) {
      names_[item.name] = params_[item.name] = value;
      FRIT_TRY(from(index + 1));
    }
    return {};
  }

  Status weigh() {
    if (++combinations_ > kMostCombinations) {
      return fail(error_at(ast_, goal_.span, "sched-minimise",
                           fmt::format("the params have over {} combinations; shorten their sets",
                                       kMostCombinations)));
    }
    const auto value = evaluate(ast_, goal_.value, names_);
    if (!value) return fail(value.error());
    if (best_ && *best_ <= *value) return {};
    best_ = *value;
    best_params_ = params_;
    return {};
  }

  const ScheduleAst& ast_;
  const ScheduleItem& goal_;
  const Facts& chosen_;
  Facts names_, params_;
  std::int64_t combinations_ = 0;
  std::optional<std::int64_t> best_;
  Facts best_params_;
};

}  // namespace

Result<Facts> least_params(const ScheduleAst& ast, const Facts& facts, const Facts& chosen) {
  const auto goal = std::find_if(ast.items.begin(), ast.items.end(), [](const ScheduleItem& item) {
    return item.kind == Kind::kMinimise;
  });
  if (goal == ast.items.end()) return chosen;
  return Search(ast, *goal, facts, chosen).run();
}

}  // namespace frit

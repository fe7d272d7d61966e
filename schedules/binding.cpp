// From a parsed file and facts to numbers: applies, bind_params, packs_of, choose_schedule.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schedules/binding.h"

#include "schedules/expression.h"
#include "schedules/least_params.h"
#include "schedules/schedule.h"

namespace frit {
namespace {

using Kind = ScheduleItem::Kind;

Result<std::int64_t> param_value(const ScheduleAst& ast, const ScheduleItem& item,
                                 const Facts& names, const Facts& chosen) {
  const auto fallback = evaluate(ast, item.value, names);
  const auto wanted = chosen.find(item.name);
  if (wanted == chosen.end() || !fallback || *fallback == wanted->second) return fallback;
  std::string allowed = std::to_string(*fallback);
  for (const Expression& choice : item.choices) {
    const auto value = evaluate(ast, choice, names);
    if (!value) return value;
    if (*value == wanted->second) return *value;
    if (*value != *fallback) allowed += ", " + std::to_string(*value);
  }
  if (item.choices.empty()) return wanted->second;
  return fail(
      error_at(ast, item.span, "sched-param-value",
               fmt::format("param {} = {} is not among its values {{{}}}; choose one of these",
                           item.name, wanted->second, allowed)));
}

Status constraint_holds(const ScheduleAst& ast, const ScheduleItem& item, const Facts& names) {
  const auto value = evaluate(ast, item.value, names);
  if (!value) return fail(value.error());
  if (*value != 0) return {};
  Diagnostic broken = error_at(
      ast, item.value.span, "sched-constraint",
      fmt::format("the constraint {} does not hold; choose other values for the params in it",
                  to_text(item.value)));
  std::string values;
  const auto visit = [&](const auto& self, const Expression& e) -> void {
    const std::int64_t* fact =
        e.kind == Expression::Kind::kName ? find_fact(names, e.text) : nullptr;
    const std::string text = fact != nullptr ? fmt::format("{} = {}", e.text, *fact) : "";
    if (!text.empty() && values.find(text) == std::string::npos) {
      values += (values.empty() ? "" : ", ") + text;
    }
    for (const Expression& operand : e.operands) self(self, operand);
  };
  visit(visit, item.value);
  if (!values.empty()) broken.notes.push_back("here " + values);
  return fail(std::move(broken));
}

Status chosen_exist(const ScheduleAst& ast, const Facts& chosen) {
  std::string known;
  Facts left = chosen;
  for (const ScheduleItem& item : ast.items) {
    if (item.kind != Kind::kParam) continue;
    known += (known.empty() ? "" : ", ") + item.name;
    left.erase(item.name);
  }
  if (left.empty()) return {};
  Diagnostic unknown =
      error("sched-param-value", fmt::format("the file has no param '{}'; it has {}",
                                             left.begin()->first, known.empty() ? "none" : known));
  unknown.place.file = ast.file;
  return fail(std::move(unknown));
}

// A pack must keep every element: for each axis, the dims in order of their divisors must chain
// (1, then the product so far), and the last must be without modulus.
Status pack_is_complete(const ScheduleAst& ast, const PackLine& line, const PackSpec& spec) {
  std::map<std::string, std::vector<PackSpec::Dim>> by_axis;
  for (const PackSpec::Dim& dim : spec.dims) by_axis[dim.axis].push_back(dim);
  for (auto& [axis, dims] : by_axis) {
    std::stable_sort(dims.begin(), dims.end(),
                     [](const auto& a, const auto& b) { return a.divisor < b.divisor; });
    std::int64_t reached = 1;
    bool complete = false;
    for (const PackSpec::Dim& dim : dims) {
      if (complete || dim.divisor != reached) {
        return fail(
            error_at(ast, line.role_span, "sched-pack",
                     fmt::format("the dimensions of '{}' do not fit together: after {} elements "
                                 "comes {} / {}; list the parts of an axis from the innermost on",
                                 axis, reached, axis, dim.divisor)));
      }
      complete = dim.modulus == 0;
      if (!complete) reached *= dim.modulus;
    }
    if (!complete) {
      return fail(error_at(
          ast, line.role_span, "sched-pack",
          fmt::format("'{}' is cut at {}; add a dimension {} / {}", axis, reached, axis, reached)));
    }
  }
  return {};
}

Result<std::int64_t> pack_number(const ScheduleAst& ast, const Expression& e, const Facts& bound) {
  const auto value = evaluate(ast, e, bound);
  if (value && (*value < 1 || *value > (std::int64_t{1} << 31))) {
    return fail(error_at(ast, e.span, "sched-pack",
                         fmt::format("a pack divides by {}; it must be at least 1", *value)));
  }
  return value;
}

Result<PackSpec> pack_spec(const ScheduleAst& ast, const PackLine& line, const Facts& bound) {
  PackSpec spec;
  spec.role = line.role;
  for (const PackLine::Dim& dim : line.dims) {
    PackSpec::Dim made;
    made.axis = dim.axis;
    if (dim.divisor) {
      const auto value = pack_number(ast, *dim.divisor, bound);
      if (!value) return fail(value.error());
      made.divisor = *value;
    }
    if (dim.modulus) {
      const auto value = pack_number(ast, *dim.modulus, bound);
      if (!value) return fail(value.error());
      made.modulus = *value;
    }
    spec.dims.push_back(std::move(made));
  }
  FRIT_TRY(pack_is_complete(ast, line, spec));
  return spec;
}

}  // namespace

bool applies(const Schedule& schedule, const std::string& anchor, const Facts& facts) {
  const ScheduleAst& ast = *schedule.ast;
  if (std::find(ast.anchors.begin(), ast.anchors.end(), anchor) == ast.anchors.end()) return false;
  return std::all_of(ast.items.begin(), ast.items.end(), [&](const ScheduleItem& item) {
    return item.kind != Kind::kWhen || holds(ast, item.value, facts);
  });
}

Result<Facts> bind_params(const Schedule& schedule, const Facts& facts, const Facts& chosen) {
  const ScheduleAst& ast = *schedule.ast;
  FRIT_TRY(chosen_exist(ast, chosen));
  for (const ScheduleItem& item : ast.items) {
    if (item.kind != Kind::kParam && item.kind != Kind::kLet) continue;
    if (!facts.contains(item.name)) continue;
    return fail(error_at(ast, item.span, "sched-name",
                         fmt::format("'{}' hides the fact {} = {}; choose another name", item.name,
                                     item.name, facts.at(item.name))));
  }
  const Result<Facts> values = least_params(ast, facts, chosen);
  if (!values) return fail(values.error());
  Facts bound = facts;
  for (const ScheduleItem& item : ast.items) {
    if (item.kind == Kind::kConstraint) FRIT_TRY(constraint_holds(ast, item, bound));
    if (item.kind != Kind::kParam && item.kind != Kind::kLet) continue;
    const auto value = item.kind == Kind::kParam ? param_value(ast, item, bound, *values)
                                                 : evaluate(ast, item.value, bound);
    if (!value) return fail(value.error());
    bound[item.name] = *value;
  }
  return bound;
}

Result<std::vector<PackSpec>> packs_of(const Schedule& schedule, const Facts& bound) {
  const ScheduleAst& ast = *schedule.ast;
  std::vector<PackSpec> packs;
  for (const ScheduleItem* item : items_in_force(ast, bound)) {
    if (item->kind != Kind::kPack) continue;
    auto spec = pack_spec(ast, item->pack, bound);
    if (!spec) return fail(spec.error());
    for (const PackSpec& other : packs) {
      if (other.role != spec->role) continue;
      return fail(error_at(ast, item->pack.role_span, "sched-pack",
                           fmt::format("'{}' is packed twice; keep one line", spec->role)));
    }
    packs.push_back(std::move(*spec));
  }
  return packs;
}

std::vector<const ScheduleItem*> items_in_force(const ScheduleAst& ast, const Facts& bound) {
  std::vector<const ScheduleItem*> found;
  const auto visit = [&](const auto& self, const std::vector<ScheduleItem>& items) -> void {
    for (const ScheduleItem& item : items) {
      if (item.kind != Kind::kIf) {
        found.push_back(&item);
        continue;
      }
      for (const IfBlock::Branch& branch : item.block.branches) {
        if (branch.condition && !holds(ast, *branch.condition, bound)) continue;
        self(self, branch.items);
        break;
      }
    }
  };
  visit(visit, ast.items);
  return found;
}

const Schedule* choose_schedule(const std::vector<Schedule>& candidates, const std::string& anchor,
                                const Facts& facts) {
  const Schedule* best = nullptr;
  for (const Schedule& candidate : candidates) {
    const bool better = best == nullptr || candidate.ast->priority > best->ast->priority;
    if (better && applies(candidate, anchor, facts)) best = &candidate;
  }
  return best;
}

}  // namespace frit

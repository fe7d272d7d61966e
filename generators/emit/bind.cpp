#include "generators/emit/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace frit {
namespace {

/// `schedule` with values; its packs too.
Result<BoundSchedule> bound(const Schedule& schedule, const Facts& facts, const Facts& params) {
  BoundSchedule made;
  made.schedule = schedule;
  made.name = schedule.file;
  Result<Facts> values = bind_params(schedule, facts, params);
  if (!values) return fail(values.error());
  made.bound = std::move(*values);
  Result<std::vector<PackSpec>> packs = packs_of(schedule, made.bound);
  if (!packs) return fail(packs.error());
  made.packs = std::move(*packs);
  return made;
}

BoundSchedule safe_default(const Facts& facts) {
  BoundSchedule made;
  made.name = "default";
  made.bound = facts;
  return made;
}

using Packs = std::map<std::string, std::vector<PackSpec::Dim>>;

/// Those of constants that the group has, by role: a schedule may name more.
Packs packs_in_force(const Graph& graph, const Group& group, const std::vector<PackSpec>& packs) {
  Packs in_force;
  for (const ValueId id : group.inputs) {
    if (!graph.value(id).constant || is_literal(graph.value(id))) continue;
    const std::string role = constant_role_of(graph, group, id).first;
    for (const PackSpec& pack : packs) {
      if (pack.role == role) in_force[role] = pack.dims;
    }
  }
  return in_force;
}

/// Whether a schedule that asks for `own` may read what is `given`: one that does not pack a
/// constant takes it as it lies.
bool agree(const Packs& own, const Packs& given) {
  return std::ranges::all_of(own, [&](const auto& pack) {
    const auto found = given.find(pack.first);
    return found != given.end() && found->second == pack.second;
  });
}

/// How `w` lies: packed_block is the modulus of its innermost dimension (channels or columns that
/// lie together), packed_c says whether input channels come next.
void add_packed_facts(const Packs& packs, Facts& facts) {
  facts["packed_block"] = 1;
  facts["packed_c"] = 0;
  const auto w = packs.find("w");
  if (w == packs.end() || w->second.empty()) return;
  facts["packed_block"] = std::max<std::int64_t>(1, w->second.front().modulus);
  facts["packed_c"] = w->second.size() > 1 && w->second[1].axis == "c" ? 1 : 0;
}

}  // namespace

Diagnostic fallback_warning(const Group& group, const std::string& schedule,
                            const Diagnostic& fault) {
  Diagnostic warning = fault;
  warning.severity = Severity::kWarning;
  warning.code = "emit-fallback";
  warning.message = fmt::format(
      "group {} is built without the shipped schedule {}, which fails on it [{}]: {}; please "
      "report it, or give a schedule of your own with --schedules",
      group.name, schedule, fault.code, fault.message);
  return warning;
}

Result<BoundSchedule> bind_schedule(const Graph& graph, const Plan& plan, const Group& group,
                                    const EmitOptions& options, const GivenUp& given_up) {
  Facts facts = group_facts(graph, plan, group);
  facts.merge(target_facts(options.target, options.threads));
  const auto params = options.chosen_params.find(group.name);
  const Facts chosen = params == options.chosen_params.end() ? Facts() : params->second;
  if (const Schedule* user = choose_schedule(options.user_schedules, group.anchor, facts)) {
    return bound(*user, facts, chosen);
  }
  std::vector<Schedule> left;
  for (const Schedule& schedule : options.shipped_schedules) {
    if (!given_up.contains(schedule.file)) left.push_back(schedule);
  }
  Diagnostics passed_over;
  while (const Schedule* next = choose_schedule(left, group.anchor, facts)) {
    Result<BoundSchedule> made = bound(*next, facts, chosen);
    // Values that a person chose are not dropped in silence.
    if (!made && !chosen.empty()) return made;
    if (made) {
      made->shipped = true;
      made->passed_over = std::move(passed_over);
      return made;
    }
    passed_over.push_back(fallback_warning(group, next->file, made.error()));
    left.erase(left.begin() + (next - left.data()));
  }
  BoundSchedule made = safe_default(facts);
  made.passed_over = std::move(passed_over);
  return made;
}

Result<BoundSchedule> bind_lower_schedule(const Graph& graph, const Plan& plan, const Group& group,
                                          const EmitOptions& options, const CpuLevel& level,
                                          const BoundSchedule& highest, const GivenUp& given_up) {
  const auto wanted = packs_in_force(graph, group, highest.packs);
  Facts facts = group_facts(graph, plan, group);
  facts.merge(target_facts(level.target, options.threads));
  add_packed_facts(wanted, facts);
  Diagnostics passed_over;
  for (const std::vector<Schedule>* library :
       {&options.user_schedules, &options.shipped_schedules}) {
    const bool shipped = library == &options.shipped_schedules;
    for (const Schedule& candidate : *library) {
      if (!applies(candidate, group.anchor, facts)) continue;
      if (shipped && given_up.contains(candidate.file)) continue;
      Result<BoundSchedule> made = bound(candidate, facts, {});
      if (!made && !shipped) return made;
      if (!made) {
        passed_over.push_back(fallback_warning(group, candidate.file, made.error()));
        continue;
      }
      if (!agree(packs_in_force(graph, group, made->packs), wanted)) continue;
      made->packs = highest.packs;
      made->shipped = shipped;
      made->passed_over = std::move(passed_over);
      return made;
    }
  }
  BoundSchedule made = safe_default(facts);
  made.packs = highest.packs;
  made.passed_over = std::move(passed_over);
  return made;
}

}  // namespace frit

#include "apps/frit/group_view.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

#include "generators/emit/bind.h"
#include "generators/emit/lower.h"

namespace frit {

namespace {

std::string stages_text(const PipelineView& view) {
  std::string text;
  for (const Stage* stage : view.stages) {
    std::string axes;
    for (std::size_t i = 0; i < stage->axes.size(); ++i) {
      axes += fmt::format("{}{}={}", i == 0 ? "" : " ", stage->axes[i].name(), stage->extents[i]);
    }
    text += fmt::format("{:<12} [{}]", stage->role, axes);
    if (stage->is_reduction()) {
      text += "  over";
      for (const auto& [name, variable] : stage->reduction) text += " " + name;
    }
    text += "\n";
  }
  for (const InputInfo& input : view.inputs) {
    text +=
        fmt::format("{:<12} {}{}\n", input.role, "input", input.is_constant ? ", constant" : "");
  }
  return text;
}

/// Halide prints loop nests to std::cerr; this is a child process with nothing else to say there.
std::string nest_text(Composed& composed) {
  std::vector<Halide::Func> outputs;
  for (const ComposedOutput& output : composed.outputs) outputs.push_back(output.func);
  std::ostringstream captured;
  std::streambuf* const before = std::cerr.rdbuf(captured.rdbuf());
  Halide::Pipeline(outputs).print_loop_nest();
  std::cerr.rdbuf(before);
  return captured.str();
}

Result<std::string> module_text(const PlannedModel& planned, const Group& group,
                                const BoundSchedule& bound, const Halide::Target& target,
                                Halide::OutputFileType type) {
  std::string path = (std::filesystem::temp_directory_path() / "frit-show-XXXXXX").string();
  const int file = ::mkstemp(path.data());
  if (file < 0)
    return fail("emit-scratch", "cannot make a temporary file " + path +
                                    "; set TMPDIR to a folder that can be written");
  ::close(file);
  const auto lowered = lower_to_code(planned.graph, planned.plan, group, bound, target, group.name,
                                     [&](Halide::Module& module) {
                                       module.compile({{type, path}});
                                     });
  std::ifstream stream(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  std::filesystem::remove(path);
  if (!lowered) return fail(lowered.error());
  return text;
}

/// In the child.
Result<std::string> view_group(const PlannedModel& planned, const Group& group, GroupView view,
                               const BoundSchedule& bound, const Halide::Target& target) {
  if (view == GroupView::kStmt || view == GroupView::kAsm) {
    return module_text(
        planned, group, bound, target,
        view == GroupView::kStmt ? Halide::OutputFileType::stmt : Halide::OutputFileType::assembly);
  }
  auto composed = scheduled_pipeline(planned.graph, planned.plan, group, bound, target);
  if (!composed) return fail(composed.error());
  if (view == GroupView::kStages) return stages_text((*composed)->view);
  if (view == GroupView::kNest) return nest_text(**composed);
  if (!bound.schedule.ast) return std::string("# the safe default: no file fits this group\n");
  const std::string values = params_text(bound.schedule, bound.bound);
  return (values.empty() ? "" : "# here " + values + "\n") + print_schedule(bound.schedule);
}

class Viewer {
 public:
  Viewer(const PlannedModel& planned, GroupView view, const EmitOptions& options)
      : planned_(planned), view_(view), options_(options) {}

  tl::expected<GroupTexts, Diagnostics> view(const std::vector<const Group*>& groups) {
    std::vector<const Group*> left = groups;
    while (!left.empty() && faults_.empty()) left = attempt(left);
    if (!faults_.empty()) return tl::unexpected<Diagnostics>(std::move(faults_));
    for (const Group* group : groups) made_.groups.push_back(std::move(texts_[group->id]));
    return std::move(made_);
  }

 private:
  /// Returns those to be tried under another schedule.
  std::vector<const Group*> attempt(const std::vector<const Group*>& groups) {
    std::vector<BoundSchedule> schedules;
    for (const Group* group : groups) {
      auto bound =
          bind_schedule(planned_.graph, planned_.plan, *group, options_, given_up_[group->id]);
      if (!bound) faults_.push_back(bound.error());
      if (bound) schedules.push_back(std::move(*bound));
    }
    if (!faults_.empty()) return {};
    std::vector<ForkJob> jobs;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      jobs.push_back({"group " + groups[i]->name, [this, &groups, &schedules, i] {
                        return view_group(planned_, *groups[i], view_, schedules[i],
                                          options_.target);
                      }});
    }
    const auto outcomes = run_forked(jobs, options_.jobs, options_.limits, {}, options_.stop);
    std::vector<const Group*> again;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!take(*groups[i], schedules[i], outcomes[i])) again.push_back(groups[i]);
    }
    return again;
  }

  /// False: under another schedule, please.
  bool take(const Group& group, const BoundSchedule& schedule, const Result<std::string>& outcome) {
    if (outcome) {
      texts_[group.id] = {group.name, schedule.name, *outcome};
      Diagnostics& warnings = made_.warnings;
      warnings.insert(warnings.end(), schedule.passed_over.begin(), schedule.passed_over.end());
      return true;
    }
    if (!schedule.shipped || outcome.error().code == "interrupted") {
      faults_.push_back(outcome.error());
      return true;
    }
    made_.warnings.push_back(fallback_warning(group, schedule.name, outcome.error()));
    given_up_[group.id].insert(schedule.name);
    return false;
  }

  const PlannedModel& planned_;
  GroupView view_;
  const EmitOptions& options_;
  std::map<int, GivenUp> given_up_;  // by group id
  std::map<int, GroupText> texts_;   // by group id
  GroupTexts made_;
  Diagnostics faults_;
};

}  // namespace

Result<const Group*> find_group(const Plan& plan, const std::string& name) {
  std::string some;
  int named = 0;
  for (const Group& group : plan.groups) {
    if (group.kind != GroupKind::kKernel) continue;
    if (group.name == name) return &group;
    if (named++ < 5) some += (some.empty() ? "" : ", ") + group.name;
  }
  return fail("plan-no-such-group",
              fmt::format("there is no group '{}' among {} (such as {}); frit plan lists them",
                          name, named, some));
}

tl::expected<GroupTexts, Diagnostics> view_groups(const PlannedModel& planned,
                                                  const std::string& group_name, GroupView view,
                                                  const EmitOptions& options) {
  std::vector<const Group*> groups;
  if (!group_name.empty()) {
    auto group = find_group(planned.plan, group_name);
    if (!group) return tl::unexpected<Diagnostics>(Diagnostics{group.error()});
    groups.push_back(*group);
  } else {
    for (const Group& group : planned.plan.groups) {
      if (group.kind == GroupKind::kKernel) groups.push_back(&group);
    }
  }
  return Viewer(planned, view, options).view(groups);
}

}  // namespace frit

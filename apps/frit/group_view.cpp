#include "apps/frit/group_view.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
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

Result<std::string> module_text(const Halide::Module& module, Halide::OutputFileType type) {
  std::string path = (std::filesystem::temp_directory_path() / "frit-show-XXXXXX").string();
  const int file = ::mkstemp(path.data());
  if (file < 0)
    return fail("emit-scratch", "cannot make a temporary file " + path +
                                    "; set TMPDIR to a folder that can be written");
  ::close(file);
  module.compile({{type, path}});
  std::ifstream stream(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  std::filesystem::remove(path);
  return text;
}

/// In the child. The text comes after the schedule's name and a newline.
Result<std::string> view_group(const PlannedModel& planned, const Group& group, GroupView view,
                               const EmitOptions& options) {
  const Graph& graph = planned.graph;
  auto bound = bind_schedule(graph, planned.plan, group, options);
  if (!bound) return fail(bound.error());
  const std::string head = bound->name + "\n";
  if (view == GroupView::kSchedule) {
    if (!bound->schedule.ast) return head + "# the safe default: no file fits this group\n";
    const std::string values = params_text(bound->schedule, bound->bound);
    return head + (values.empty() ? "" : "# here " + values + "\n") + print_schedule(bound->schedule);
  }
  if (view == GroupView::kStages || view == GroupView::kNest) {
    auto composed = scheduled_pipeline(graph, planned.plan, group, *bound, options.target);
    if (!composed) return fail(composed.error());
    return head +
           (view == GroupView::kStages ? stages_text((*composed)->view) : nest_text(**composed));
  }
  auto lowered = lower_group(graph, planned.plan, group, *bound, options.target, group.name);
  if (!lowered) return fail(lowered.error());
  auto text =
      module_text(lowered->module, view == GroupView::kStmt ? Halide::OutputFileType::stmt
                                                            : Halide::OutputFileType::assembly);
  if (!text) return text;
  return head + *text;
}

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

tl::expected<std::vector<GroupText>, Diagnostics> view_groups(const PlannedModel& planned,
                                                              const std::string& group_name,
                                                              GroupView view,
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
  std::vector<ForkJob> jobs;
  for (const Group* group : groups) {
    jobs.push_back({group->name, [&planned, group, view, &options] {
                      return view_group(planned, *group, view, options);
                    }});
  }
  const auto outcomes = run_forked(jobs, options.jobs, options.limits, {}, options.stop);
  std::vector<GroupText> texts;
  Diagnostics faults;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!outcomes[i]) {
      faults.push_back(outcomes[i].error());
      continue;
    }
    const std::size_t head = outcomes[i]->find('\n');
    texts.push_back({groups[i]->name, outcomes[i]->substr(0, head), outcomes[i]->substr(head + 1)});
  }
  if (!faults.empty()) return tl::unexpected<Diagnostics>(std::move(faults));
  return texts;
}

}  // namespace frit

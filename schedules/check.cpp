#include "schedules/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "schedules/apply.h"
#include "schedules/ast.h"
#include "schedules/bounds.h"
#include "schedules/defaults.h"
#include "schedules/halide_errors.h"

// Exported by libHalide, declared in its PrintLoopNest.h, which Halide.h leaves out.
namespace Halide::Internal {
std::string print_loop_nest(const std::vector<Function>& output_funcs);
}

namespace frit {
namespace {

std::vector<Halide::Func> output_funcs(const PipelineView& view) {
  std::vector<Halide::Func> funcs;
  for (const Stage* stage : view.stages) {
    if (names_output(stage->role)) funcs.push_back(stage->func);
  }
  return funcs;
}

std::string nest_of(const PipelineView& view) {
  std::vector<Halide::Internal::Function> functions;
  for (const Halide::Func& func : output_funcs(view)) functions.push_back(func.function());
  return Halide::Internal::print_loop_nest(functions);
}

class Check {
 public:
  Check(const Schedule& schedule, const CheckGroup& group) : schedule_(schedule), group_(group) {
    place_.file = schedule.file;
  }

  CheckReport run(CheckDepth depth) {
    note_applicability();
    std::shared_ptr<PipelineView> view = applied();
    if (view && depth >= CheckDepth::kNest) nest(*view);
    if (report_.ok() && view && depth == CheckDepth::kLower) lower(*view);
    return std::move(report_);
  }

 private:
  void keep(Diagnostic fault) { report_.diagnostics.push_back(std::move(fault)); }

  void note_applicability() {
    if (applies(schedule_, group_.anchor, group_.facts)) return;
    Diagnostic warning;
    warning.severity = Severity::kWarning;
    warning.code = "sched-not-applicable";
    warning.place = place_;
    const auto& anchors = schedule_.ast->anchors;
    const bool named = std::find(anchors.begin(), anchors.end(), group_.anchor) != anchors.end();
    warning.message =
        named ? fmt::format(
                    "a 'when' does not hold for this {} group; a build would not choose "
                    "this file",
                    group_.anchor)
              : fmt::format(
                    "the file is for {}, the group's anchor is {}; a build would not "
                    "choose this file",
                    fmt::join(anchors, ", "), group_.anchor);
    keep(std::move(warning));
  }

  // The pipeline under the schedule, or null with the faults kept.
  std::shared_ptr<PipelineView> applied() {
    const auto bound = bind_params(schedule_, group_.facts, group_.chosen);
    if (!bound) return keep(bound.error()), nullptr;
    const auto packs = packs_of(schedule_, *bound);
    if (!packs) return keep(packs.error()), nullptr;
    auto view = group_.compose(*packs);
    if (!view) return keep(view.error()), nullptr;
    PipelineState pipeline(**view);
    bound_outputs(pipeline);
    for (Diagnostic& fault : apply_directives(schedule_, pipeline, *bound)) keep(std::move(fault));
    if (!report_.ok()) return nullptr;
    const Status rest = place_remaining(pipeline, group_.target);
    if (!rest) return keep(rest.error()), nullptr;
    return *view;
  }

  void nest(const PipelineView& view) {
    const Status status =
        guard_halide(place_, report_.diagnostics, [&] { report_.nest = nest_of(view); });
    if (!status) keep(status.error());
  }

  void lower(const PipelineView& view) {
    for (Diagnostic& fault : faults_when_lowered(view, group_.target, place_)) {
      keep(std::move(fault));
    }
  }

  const Schedule& schedule_;
  const CheckGroup& group_;
  SourcePlace place_;
  CheckReport report_;
};

}  // namespace

Diagnostics faults_when_lowered(const PipelineView& view, const Halide::Target& target,
                                const SourcePlace& place) {
  Halide::Target checked = target;
  checked.set_features({Halide::Target::NoAsserts, Halide::Target::NoBoundsQuery}, false);
  std::vector<Halide::Argument> arguments;
  for (const InputInfo& input : view.inputs) arguments.push_back(input.param);
  Diagnostics faults;
  Diagnostics outside;
  const Status status = guard_halide(place, faults, [&] {
    const Halide::Module module =
        Halide::Pipeline(output_funcs(view)).compile_to_module(arguments, "frit_check", checked);
    outside = accesses_outside(module, place);
  });
  for (Diagnostic& fault : faults) {
    if (fault.message.find("guaranteed to fail an assertion") == std::string::npos) continue;
    fault.severity = Severity::kError;
    fault.message += "; a release kernel would not notice: change the bound that it names";
  }
  std::move(outside.begin(), outside.end(), std::back_inserter(faults));
  if (!status) faults.push_back(status.error());
  return faults;
}

std::optional<CheckDepth> check_depth_named(std::string_view name) {
  if (name == "parse") return CheckDepth::kParse;
  if (name == "apply") return CheckDepth::kApply;
  if (name == "nest") return CheckDepth::kNest;
  if (name == "lower") return CheckDepth::kLower;
  return std::nullopt;
}

bool CheckReport::ok() const {
  return std::none_of(diagnostics.begin(), diagnostics.end(),
                      [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

CheckReport check_schedule(const std::string& text, const std::string& file, CheckDepth depth,
                           const CheckGroup* group) {
  const auto schedule = parse_schedule(text, file);
  if (!schedule) return {schedule.error(), ""};
  if (group == nullptr || depth == CheckDepth::kParse) return {};
  return Check(*schedule, *group).run(depth);
}

Result<std::string> loop_nest_text(const PipelineView& view) {
  std::string text;
  const Status status = guard_halide({}, [&] { text = nest_of(view); });
  if (!status) return fail(status.error());
  return text;
}

}  // namespace frit

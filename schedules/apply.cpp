// apply_schedule: each directive line in order, then placements, then what the text left out.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schedules/apply.h"
#include "schedules/binding.h"
#include "schedules/defaults.h"
#include "schedules/directives.h"
#include "schedules/halide_errors.h"
#include "schedules/making.h"
#include "schedules/placement.h"
#include "schedules/spelling.h"

namespace frit {
namespace {

using Scope = DirectiveSpec::Scope;

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

std::string nearest_directive(const std::string& name) {
  std::vector<std::string_view> names;
  for (const DirectiveSpec& spec : all_directives()) names.push_back(spec.name);
  return nearest_word(name, names);
}

class Applier {
 public:
  Applier(const ScheduleAst& ast, PipelineState& pipeline, const Facts& bound)
      : ast_(ast), pipeline_(pipeline), bound_(bound) {}

  Diagnostics run() {
    for (const ScheduleItem* item : items_in_force(ast_, bound_)) {
      if (item->kind == ScheduleItem::Kind::kDirective) line(item->directive);
      if (applied_ > kMostDirectives) break;
    }
    if (faults_.empty()) faults_ = apply_placements(ast_, pipeline_, bound_, pending_);
    return std::move(faults_);
  }

 private:
  void keep(Diagnostic fault) { faults_.push_back(std::move(fault)); }

  void line(const DirectiveLine& directive) {
    if (directive.wildcard) {
      for (StageState* stage : pipeline_.stages()) {
        if (stage->role().starts_with(directive.subject) && !chain(directive, *stage)) return;
      }
      return;
    }
    StageState* stage = pipeline_.find(directive.subject);
    if (stage != nullptr) {
      chain(directive, *stage);
      return;
    }
    if (directive.optional) return;
    Diagnostic missing = error_at(ast_, directive.subject_span, "sched-stage",
                                  fmt::format("no stage '{}'", directive.subject));
    missing.notes.push_back("stages here: " + pipeline_.role_list());
    missing.notes.push_back("'optional' before the line skips it where the stage is missing");
    keep(std::move(missing));
  }

  // The calls of one line on one stage; false after a fault.
  bool chain(const DirectiveLine& directive, StageState& stage) {
    StageState* subject = &stage;
    int definition = kPureDefinition;
    for (std::size_t i = 0; i < directive.calls.size(); ++i) {
      const DirectiveLine::Call& written = directive.calls[i];
      if (++applied_ > kMostDirectives) return too_long(written);
      DirectiveCall call(ast_, written, pipeline_, bound_, *subject, definition);
      if (written.name == "update") {
        definition = update_number(call);
      } else {
        one(directive, call, i + 1 == directive.calls.size());
      }
      if (call.fault() && directive.optional && call.fault()->code == "sched-stage") return true;
      if (call.fault()) keep(*call.fault());
      if (call.fault()) return false;
    }
    return true;
  }

  bool too_long(const DirectiveLine::Call& written) {
    keep(error_at(ast_, written.span, "sched-too-long",
                  fmt::format("'{}' would be directive {} of this pipeline, but a schedule has at "
                              "most {}; name fewer stages, or leave loops as they are",
                              written.name, applied_, kMostDirectives)));
    return false;
  }

  static int update_number(DirectiveCall& call) {
    if (call.count() > 1) {
      call.fail_at(call.call().span, "sched-arguments", "update wants one number: update(0)");
    }
    const std::int64_t wanted = call.count() == 0 ? 0 : call.integer(0, 0);
    const int updates = call.func().num_update_definitions();
    if (call.ok() && wanted >= updates) {
      call.fail_at(call.call().span, "sched-stage",
                   fmt::format("'{}' has {} update definitions; there is no update({})",
                               call.stage().role(), updates, wanted));
    }
    return call.ok() ? static_cast<int>(wanted) : kPureDefinition;
  }

  void one(const DirectiveLine& directive, DirectiveCall& call, bool last) {
    const DirectiveLine::Call& written = call.call();
    const DirectiveSpec* spec = find_directive(written.name);
    if (spec == nullptr) return unknown(call);
    if (call.count() < spec->least || call.count() > spec->most) {
      return call.fail_at(written.span, "sched-arguments",
                          fmt::format("'{}' has {} arguments; it is written {}", written.name,
                                      call.count(), spec->form));
    }
    if (spec->scope == Scope::kMaking) return make(directive, call, last);
    if (!directive.defines.empty() && last) {
      return call.fail_at(
          directive.defines_span, "sched-directive",
          fmt::format("'{}' makes no stage; only rfactor, in and clone_in do", written.name));
    }
    const bool whole = spec->scope == Scope::kStage ||
                       (spec->scope == Scope::kPlacement && written.name != "compute_with");
    if (whole && call.definition() != kPureDefinition) {
      return call.fail_at(written.span, "sched-directive",
                          fmt::format("{} is about the whole stage; write {}.{}(…)", written.name,
                                      call.stage().role(), written.name));
    }
    if (spec->scope == Scope::kPlacement) {
      pending_.push_back({&written, line_span(directive, written), &call.stage(), call.definition(),
                          directive.optional});
      return;
    }
    halide([&] { spec->apply(call); }, call);
  }

  void halide(const std::function<void()>& work, DirectiveCall& call) {
    const Status status = guard_halide(call.place(), work);
    if (status || !call.ok()) return;
    Diagnostic fault = status.error();
    for (const auto& [name, rvar] : call.stage().stage->reduction) {
      replace_all(fault.message, rvar.name(), name);
    }
    call.fail_with(std::move(fault));
  }

  static void unknown(DirectiveCall& call) {
    const std::string& name = call.call().name;
    if (const char* reason = why_not_offered(name)) {
      return call.fail_at(call.call().span, "sched-directive",
                          fmt::format("'{}' is not offered: {}", name, reason));
    }
    Diagnostic fault = call.error_here(call.call().span, "sched-directive",
                                       fmt::format("no directive '{}'", name));
    const std::string close = nearest_directive(name);
    if (!close.empty()) fault.notes.push_back(fmt::format("did you mean '{}'?", close));
    call.fail_with(std::move(fault));
  }

  void make(const DirectiveLine& directive, DirectiveCall& call, bool last) {
    if (directive.defines.empty() || !last) {
      return call.fail_at(call.call().span, "sched-directive",
                          fmt::format("'{}' makes a stage; give it a name and end the line there: "
                                      "{}",
                                      call.call().name, find_directive(call.call().name)->form));
    }
    if (directive.wildcard) {
      return call.fail_at(directive.subject_span, "sched-directive",
                          "one name cannot stand for the stages of several; write a line for each");
    }
    if (pipeline_.find(directive.defines) != nullptr) {
      return call.fail_at(
          directive.defines_span, "sched-stage",
          fmt::format("there already is a stage '{}'; choose another name", directive.defines));
    }
    halide([&] { make_stage(call, directive.defines); }, call);
  }

  static Span line_span(const DirectiveLine& directive, const DirectiveLine::Call& call) {
    const Span& first = directive.subject_span;
    const Span& end = call.span;
    if (&call != &directive.calls.front()) return end;
    return {first.line, first.column, end.column + end.length - first.column};
  }

  const ScheduleAst& ast_;
  PipelineState& pipeline_;
  const Facts& bound_;
  std::vector<PendingPlacement> pending_;
  int applied_ = 0;  // calls so far
  Diagnostics faults_;
};

}  // namespace

Diagnostics apply_directives(const Schedule& schedule, PipelineState& pipeline,
                             const Facts& bound) {
  return Applier(*schedule.ast, pipeline, bound).run();
}

Status apply_schedule(const Schedule& schedule, PipelineView& view, const Facts& bound,
                      const Halide::Target& target) {
  PipelineState pipeline(view);
  bound_outputs(pipeline);
  Diagnostics faults = apply_directives(schedule, pipeline, bound);
  if (!faults.empty()) return fail(std::move(faults.front()));
  return place_remaining(pipeline, target);
}

}  // namespace frit

#include "schedules/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "schedules/halide_errors.h"
#include "schedules/storage.h"

namespace frit {
namespace {

Halide::LoopLevel level_of(const StageState& consumer, const Loop& loop) {
  return {consumer.stage->func, loop.var()};
}

FixIt legal_fix(const StageState& stage, const std::string& directive,
                std::optional<std::int64_t> bytes) {
  FixIt fix{stage.role() + "." + directive, "legal", bytes.value_or(-1)};
  if (bytes && *bytes < 10000) fix.remark += fmt::format("; storage {} bytes", *bytes);
  if (bytes && *bytes >= 10000) {
    fix.remark += fmt::format("; storage {:.1f} KB", static_cast<double>(*bytes) / 1000.0);
  }
  return fix;
}

// The loop of any definition of `consumer`, preferring one whose body reads `stage`.
std::optional<Loop> loop_of_any_definition(const LoopNest& nest, const StageState& stage,
                                           const StageState& consumer, const std::string& written) {
  const bool known = find_loop(consumer, kPureDefinition, written).has_value();
  const std::string name = known ? written : loop_behind(consumer, written);
  for (const Use& use : nest.uses(stage)) {
    if (use.consumer != &consumer) continue;
    if (auto found = find_loop(consumer, use.definition, name)) return found;
  }
  for (const int definition : definitions_of(consumer)) {
    if (auto found = find_loop(consumer, definition, name)) return found;
  }
  return std::nullopt;
}

class Placer {
 public:
  Placer(const ScheduleAst& ast, PipelineState& pipeline, const Facts& bound)
      : ast_(ast), pipeline_(pipeline), bound_(bound), nest_(pipeline) {}

  void apply(const PendingPlacement& pending) {
    nest_.forget();
    DirectiveCall call(ast_, *pending.call, pipeline_, bound_, *pending.stage, pending.definition);
    const std::string& name = pending.call->name;
    if (pending.stage->is_output && name != "compute_root" && name != "compute_with") {
      return keep(call.error_here(
          pending.line, "sched-compute-at",
          fmt::format("'{}' is an output of the kernel and is always computed at the root; "
                      "remove {}",
                      pending.stage->role(), name)));
    }
    const Status status = guard_halide(call.place(), [&] { dispatch(call, pending, name); });
    if (call.fault()) {
      const bool skipped = pending.optional && call.fault()->code == "sched-stage";
      return skipped ? void() : keep(*call.fault());
    }
    if (!status) keep(status.error());
  }

  // Once all are placed: is every compute_at at a loop that encloses all uses?
  void check(const PendingPlacement& pending) {
    nest_.forget();
    const std::string& name = pending.call->name;
    if (name == "store_at" || name == "hoist_storage") return check_storage(pending);
    StageState& stage = *pending.stage;
    if (pending.call->name != "compute_at" || stage.compute.kind != Placement::Kind::kAt ||
        stage.computed_with) {
      return;
    }
    if (!nest_.is_legal(stage)) keep(illegal_site(pending, nest_.legal_sites(stage)));
  }

  // Storage must enclose the place of computing, which must be a loop (or the root) inside of it.
  void check_storage(const PendingPlacement& pending) {
    StageState& stage = *pending.stage;
    if (stage.computed_with || pending.call->arguments[1].kind != Expression::Kind::kName) return;
    const StageState* consumer = pipeline_.find(pending.call->arguments[0].text);
    if (consumer == nullptr) return;  // said already, or optional
    const std::string& loop = pending.call->arguments[1].text;
    const std::vector<Site> around = nest_.path_to_compute(stage);
    const bool encloses = std::any_of(around.begin(), around.end(), [&](const Site& site) {
      return site.stage == consumer &&
             (site.loop.name == loop || site.loop.name == loop_behind(*consumer, loop));
    });
    if (encloses) return;
    const bool at_loop = stage.compute.kind == Placement::Kind::kAt;
    keep(error_at(
        ast_, pending.line, "sched-compute-at",
        fmt::format("'{}' cannot be stored at '{}.{}': it is computed at {}, which is not inside "
                    "that loop; store it further out or compute it further in",
                    stage.role(), consumer->role(), loop,
                    at_loop ? "'" + stage.compute.consumer->role() + "." + stage.compute.loop + "'"
                            : std::string("the root or inlined"))));
  }

  Diagnostics take() { return std::move(faults_); }

 private:
  void keep(Diagnostic fault) { faults_.push_back(std::move(fault)); }

  void dispatch(DirectiveCall& call, const PendingPlacement& pending, const std::string& name) {
    StageState& stage = *pending.stage;
    Halide::Func func = stage.stage->func;
    if (name == "compute_root") return compute_at_root(stage);
    if (name == "store_root") return void(func.store_root());
    if (name == "hoist_storage_root") return void(func.hoist_storage_root());
    if (name == "compute_inline" || name == "inline") return inline_stage(call, pending);
    if (name == "compute_with") return compute_with(call, pending);
    StageState* consumer = call.other_stage(0);
    const std::string wanted = call.ok() ? call.name(call.argument(1), "a loop") : "";
    if (!call.ok()) return;
    const auto loop = loop_of_any_definition(nest_, stage, *consumer, wanted);
    if (!loop) return no_loop(call, *consumer, wanted);
    const Halide::LoopLevel level = level_of(*consumer, *loop);
    if (name == "store_at") return void(func.store_at(level));
    if (name == "hoist_storage") return void(func.hoist_storage(level));
    stage.compute = {Placement::Kind::kAt, consumer, loop->name};
    func.compute_at(level);
  }

  void inline_stage(DirectiveCall& call, const PendingPlacement& pending) {
    if (pending.stage->stage->func.has_update_definition()) {
      return call.fail_at(pending.line, "sched-compute-at",
                          fmt::format("'{}' is a reduction and cannot be inlined; place it with "
                                      "compute_at",
                                      pending.stage->role()));
    }
    compute_inlined(*pending.stage);
  }

  void compute_with(DirectiveCall& call, const PendingPlacement& pending) {
    int definition = kPureDefinition;
    StageState* other = call.other_stage(0, &definition);
    const std::string wanted = call.ok() ? call.name(call.argument(1), "a loop") : "";
    const std::string word = call.count() > 2 ? call.word(2) : "Auto";
    if (!call.ok()) return;
    const auto loop = find_loop(*other, definition, wanted);
    if (!loop) return no_loop(call, *other, wanted);
    if (other == pending.stage) {
      return call.fail_at(call.argument(0).span, "sched-arguments",
                          "a stage cannot be computed with itself; name another stage");
    }
    auto align = Halide::LoopAlignStrategy::Auto;
    if (word == "AlignStart") align = Halide::LoopAlignStrategy::AlignStart;
    if (word == "AlignEnd") align = Halide::LoopAlignStrategy::AlignEnd;
    if (word == "NoAlign") align = Halide::LoopAlignStrategy::NoAlign;
    if (word != "Auto" && align == Halide::LoopAlignStrategy::Auto) {
      return call.fail_at(call.argument(2).span, "sched-arguments",
                          fmt::format("'{}' is no alignment; there are Auto, AlignStart, AlignEnd, "
                                      "NoAlign",
                                      word));
    }
    pending.stage->computed_with = true;
    halide_stage(*pending.stage, pending.definition)
        .compute_with(halide_stage(*other, definition), loop->var(), align);
  }

  void no_loop(DirectiveCall& call, const StageState& consumer, const std::string& wanted) {
    Diagnostic missing =
        call.error_here(call.argument(1).span, "sched-loop",
                        fmt::format("'{}' has no loop '{}'", consumer.role(), wanted));
    for (const int definition : definitions_of(consumer)) {
      missing.notes.push_back(fmt::format("loops of {}, innermost first: {}",
                                          definition_name(consumer, definition),
                                          loop_list(consumer, definition)));
    }
    call.fail_with(std::move(missing));
  }

  Diagnostic illegal_site(const PendingPlacement& pending, const std::vector<Site>& legal) const {
    const StageState& stage = *pending.stage;
    const StageState& consumer = *stage.compute.consumer;
    std::string others;
    bool reads = false;
    const std::vector<Use> uses = nest_.uses(stage);
    for (const Use& use : uses) {
      const std::string name = definition_name(*use.consumer, use.definition);
      if (use.consumer == &consumer) reads = true;
      if (use.consumer != &consumer) others += (others.empty() ? "'" : ", '") + name + "'";
    }
    const std::string reason = uses.empty()     ? "nothing reads it"
                               : !reads         ? fmt::format("it is used by {}, not there", others)
                               : others.empty() ? std::string("not every use lies inside that loop")
                                                : fmt::format("it is also used by {}", others);
    Diagnostic wrong = error_at(ast_, pending.line, "sched-compute-at",
                                fmt::format("'{}' cannot be computed at '{}.{}': {}", stage.role(),
                                            consumer.role(), stage.compute.loop, reason));
    for (const Use& use : uses) {
      wrong.notes.push_back("used at  " + path_text(nest_.path_of(*use.consumer, use.definition)));
    }
    for (auto site = legal.rbegin(); site != legal.rend(); ++site) {
      if (site->loop.name == "outermost") continue;
      wrong.fixes.push_back(
          legal_fix(stage, fmt::format("compute_at({}, {})", site->stage->role(), site->loop.name),
                    storage_bytes_at(nest_, stage, *site)));
    }
    wrong.fixes.push_back(legal_fix(stage, "compute_root()", storage_bytes_at_root(stage)));
    return wrong;
  }

  const ScheduleAst& ast_;
  PipelineState& pipeline_;
  const Facts& bound_;
  LoopNest nest_;
  Diagnostics faults_;
};

}  // namespace

Diagnostics apply_placements(const ScheduleAst& ast, PipelineState& pipeline, const Facts& bound,
                             const std::vector<PendingPlacement>& pending) {
  Placer placer(ast, pipeline, bound);
  for (const PendingPlacement& placement : pending) placer.apply(placement);
  for (auto placement = pending.begin(); placement != pending.end(); ++placement) {
    const auto overrides = [&](const PendingPlacement& later) {
      return later.stage == placement->stage && later.call->name.starts_with("compute_") &&
             placement->call->name.starts_with("compute_");
    };
    if (std::none_of(placement + 1, pending.end(), overrides)) placer.check(*placement);
  }
  return placer.take();
}

void compute_at_site(StageState& stage, const Site& site) {
  stage.compute = {Placement::Kind::kAt, site.stage, site.loop.name};
  stage.stage->func.compute_at(level_of(*site.stage, site.loop));
}

void compute_at_root(StageState& stage) {
  stage.compute = {Placement::Kind::kRoot, nullptr, ""};
  stage.stage->func.compute_root();
}

void compute_inlined(StageState& stage) {
  stage.compute = {Placement::Kind::kInline, nullptr, ""};
  stage.stage->func.compute_inline();
}

}  // namespace frit

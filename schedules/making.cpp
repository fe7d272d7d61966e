#include "schedules/making.h"

#include <fmt/format.h>

#include <utility>

namespace frit {
namespace {

// A stage like `parent` with another Func.
Stage derived(const Stage& parent, const std::string& role, Halide::Func func) {
  Stage stage = parent;
  stage.role = role;
  stage.func = std::move(func);
  return stage;
}

std::vector<std::pair<Loop, Halide::Var>> preserved_pairs(DirectiveCall& call,
                                                          std::vector<std::int64_t>& extents) {
  std::vector<std::pair<Loop, Halide::Var>> pairs;
  const auto add = [&](const Expression& reduction, const Expression& axis) {
    const Loop loop = call.loop(reduction);
    const std::string name = call.name(axis, "a new axis");
    if (call.ok() && !loop.is_reduction) {
      call.fail_at(reduction.span, "sched-arguments",
                   fmt::format("rfactor wants a reduction; '{}' is an axis", loop.name));
    }
    for (const Halide::Var& var : call.func().args()) {
      if (call.ok() && var.name() == name) {
        call.fail_at(axis.span, "sched-arguments",
                     fmt::format("'{}' already has an axis '{}'; choose another name",
                                 call.stage().role(), name));
      }
    }
    extents.push_back(call.extent(loop.name).value_or(0));
    pairs.emplace_back(loop, Halide::Var(name));
  };
  if (!call.is_list(0)) {
    if (call.count() == 2) {
      add(call.argument(0), call.argument(1));
    } else {
      call.fail_at(call.call().span, "sched-arguments",
                   "rfactor wants (reduction, new_axis); write rfactor(r, axis)");
    }
    return pairs;
  }
  for (const Expression& pair : call.list(0)) {
    if (pair.kind == Expression::Kind::kList && pair.operands.size() == 2) {
      add(pair.operands[0], pair.operands[1]);
    } else {
      call.fail_at(pair.span, "sched-arguments",
                   "rfactor wants a list of {reduction, new_axis}; write rfactor({{r, axis}})");
    }
  }
  return pairs;
}

StageState* rfactor(DirectiveCall& call, const std::string& role) {
  if (call.definition() == kPureDefinition) {
    call.fail_at(call.call().span, "sched-directive",
                 fmt::format("rfactor acts on an update: write {}.update(0).rfactor(…)",
                             call.stage().role()));
    return nullptr;
  }
  std::vector<std::int64_t> extents;
  const auto pairs = preserved_pairs(call, extents);
  if (!call.ok()) return nullptr;
  std::vector<std::pair<Halide::RVar, Halide::Var>> preserved;
  for (const auto& [loop, axis] : pairs) {
    preserved.emplace_back(Halide::RVar(loop.halide_name), axis);
  }
  const Stage& parent = *call.stage().stage;
  Stage made = derived(parent, role, call.halide().rfactor(preserved));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    made.order.push_back(static_cast<int>(made.axes.size()));
    made.axes.push_back(pairs[i].second);
    made.extents.push_back(extents[i]);
  }
  return &call.pipeline().add(std::move(made));
}

StageState* wrapper(DirectiveCall& call, const std::string& role, bool clone) {
  if (call.definition() != kPureDefinition) {
    call.fail_at(call.call().span, "sched-directive",
                 fmt::format("{} acts on a whole stage, not on an update; drop .update(…)",
                             call.call().name));
  }
  if (call.ok() && call.stage().is_output) {
    call.fail_at(call.call().span, "sched-directive",
                 fmt::format("'{}' is an output of the kernel; nothing reads it through a wrapper",
                             call.stage().role()));
  }
  std::vector<Halide::Func> consumers;
  for (std::size_t i = 0; i < call.count() && call.ok(); ++i) {
    if (StageState* consumer = call.other_stage(i)) consumers.push_back(consumer->stage->func);
  }
  if (!call.ok()) return nullptr;
  Halide::Func func = call.func();
  Stage made = derived(*call.stage().stage, role,
                       clone               ? func.clone_in(consumers)
                       : consumers.empty() ? func.in()
                                           : func.in(consumers));
  if (!clone) {
    made.reduction.clear();
    made.op_cost = 1;
  }
  return &call.pipeline().add(std::move(made));
}

}  // namespace

StageState* make_stage(DirectiveCall& call, const std::string& role) {
  if (call.call().name == "rfactor") return rfactor(call, role);
  return wrapper(call, role, call.call().name == "clone_in");
}

}  // namespace frit

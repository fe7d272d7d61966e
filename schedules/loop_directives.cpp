// Directives on the loops of one definition: split, fuse, reorder, tile, vectorize, …
#include <fmt/format.h>

#include <array>
#include <utility>

#include "schedules/directives.h"

namespace frit {
namespace {

using Halide::TailStrategy;
using Halide::VarOrRVar;
using Scope = DirectiveSpec::Scope;

constexpr std::array<std::pair<const char*, TailStrategy>, 9> kTails = {{
    {"Auto", TailStrategy::Auto},
    {"GuardWithIf", TailStrategy::GuardWithIf},
    {"ShiftInwards", TailStrategy::ShiftInwards},
    {"RoundUp", TailStrategy::RoundUp},
    {"Predicate", TailStrategy::Predicate},
    {"PredicateLoads", TailStrategy::PredicateLoads},
    {"PredicateStores", TailStrategy::PredicateStores},
    {"ShiftInwardsAndBlend", TailStrategy::ShiftInwardsAndBlend},
    {"RoundUpAndBlend", TailStrategy::RoundUpAndBlend},
}};

int factor_of(std::int64_t factor) { return static_cast<int>(factor); }

void split(DirectiveCall& call) {
  const Loop old = call.loop(0);
  const VarOrRVar outer = call.fresh(1, old.is_reduction, {old.name});
  const VarOrRVar inner = call.fresh(2, old.is_reduction, {old.name});
  const std::int64_t factor = call.integer(3, 1);
  const TailStrategy tail = tail_for(call, 4, old, factor);
  if (!call.ok()) return;
  if (outer.name() == inner.name()) {
    call.fail_at(call.argument(2).span, "sched-loop",
                 "outer and inner need different names; rename one");
    return;
  }
  call.halide().split(old.var(), outer, inner, factor_of(factor), tail);
  split_extent(call, old.name, call.argument(1).text, call.argument(2).text, factor);
}

void fuse(DirectiveCall& call) {
  const Loop inner = call.loop(0);
  const Loop outer = call.loop(1);
  if (call.ok() && inner.name == outer.name) {
    call.fail_at(call.argument(1).span, "sched-arguments",
                 "a loop cannot be fused with itself; name two loops");
  }
  const VarOrRVar fused =
      call.fresh(2, inner.is_reduction || outer.is_reduction, {inner.name, outer.name});
  if (!call.ok()) return;
  call.halide().fuse(inner.var(), outer.var(), fused);
  const auto a = call.extent(inner.name);
  const auto b = call.extent(outer.name);
  call.set_extent(inner.name, std::nullopt);
  call.set_extent(outer.name, std::nullopt);
  call.set_extent(call.argument(2).text,
                  a && b ? std::optional<std::int64_t>(*a * *b) : std::nullopt);
}

void reorder(DirectiveCall& call) {
  std::vector<VarOrRVar> vars;
  for (const Loop& loop : call.loops(0, call.count())) vars.push_back(loop.var());
  if (call.ok()) call.halide().reorder(vars);
}

void rename(DirectiveCall& call) {
  const Loop old = call.loop(0);
  const VarOrRVar fresh = call.fresh(1, old.is_reduction, {});
  if (!call.ok()) return;
  call.halide().rename(old.var(), fresh);
  const auto extent = call.extent(old.name);
  call.set_extent(old.name, std::nullopt);
  call.set_extent(call.argument(1).text, extent);
}

// tile(x, y, xo, yo, xi, yi, fx, fy [, tail]) and tile(x, y, xi, yi, fx, fy [, tail]): a split of
// each, then the inner ones innermost. Written as splits so that each tail is checked.
struct TilePart {
  Loop old;
  const Expression* old_argument;
  const Expression* outer;
  const Expression* inner;
  std::int64_t factor;
};

void tile_parts(DirectiveCall& call, const std::vector<TilePart>& parts, std::size_t tail_at) {
  std::vector<VarOrRVar> order;
  std::vector<VarOrRVar> outers;
  for (const TilePart& part : parts) {
    const VarOrRVar outer = call.fresh(*part.outer, part.old.is_reduction, {part.old.name});
    const VarOrRVar inner = call.fresh(*part.inner, part.old.is_reduction, {part.old.name});
    const TailStrategy tail = tail_for(call, tail_at, part.old, part.factor);
    if (!call.ok()) return;
    call.halide().split(part.old.var(), outer, inner, factor_of(part.factor), tail);
    split_extent(call, part.old.name, part.outer->text, part.inner->text, part.factor);
    order.push_back(inner);
    outers.push_back(outer);
  }
  order.insert(order.end(), outers.begin(), outers.end());
  call.halide().reorder(order);
}

void tile_lists(DirectiveCall& call) {
  const std::size_t lists = call.is_list(3) ? 4 : 3;
  const auto& old = call.list(0);
  const auto& outer = lists == 4 ? call.list(1) : old;
  const auto& inner = call.list(lists - 2);
  const auto& factors = call.list(lists - 1);
  if (!call.ok()) return;
  if (old.empty() || old.size() != inner.size() || old.size() != factors.size() ||
      old.size() != outer.size()) {
    call.fail_at(call.call().span, "sched-arguments",
                 "the lists of tile differ in length; give each loop an outer name, an inner name "
                 "and a size");
    return;
  }
  std::vector<TilePart> parts;
  for (std::size_t i = 0; i < old.size(); ++i) {
    parts.push_back(
        {call.loop(old[i]), &old[i], &outer[i], &inner[i], call.integer(factors[i], 1)});
  }
  if (call.ok()) tile_parts(call, parts, lists);
}

void tile(DirectiveCall& call) {
  if (call.is_list(0)) return tile_lists(call);
  if (call.count() < 6) {
    call.fail_at(call.call().span, "sched-arguments",
                 "tile wants 6 to 9 arguments; write tile(x, y, xo, yo, xi, yi, sx, sy)");
    return;
  }
  const std::size_t names = call.count() >= 8 ? 6 : 4;  // loop names before the two factors
  std::vector<TilePart> parts;
  for (std::size_t i = 0; i < 2; ++i) {
    const Expression* outer = &call.argument(names == 6 ? 2 + i : i);
    parts.push_back({call.loop(i), &call.argument(i), outer, &call.argument(names - 2 + i),
                     call.integer(names + i, 1)});
  }
  if (call.ok()) tile_parts(call, parts, names + 2);
}

// vectorize(loop) or vectorize(loop, factor [, tail]); unroll and parallel alike.
template <class Mark>
void mark(DirectiveCall& call, Mark mark_loop) {
  const Loop loop = call.loop(0);
  if (!call.ok()) return;
  if (call.count() == 1) return mark_loop(call.halide(), loop, 0, TailStrategy::Auto);
  const std::int64_t factor = call.integer(1, 1);
  const TailStrategy tail = tail_for(call, 2, loop, factor);
  if (!call.ok()) return;
  mark_loop(call.halide(), loop, factor_of(factor), tail);
  // Halide keeps the loop's name for the outer half.
  if (const auto extent = call.extent(loop.name)) {
    call.set_extent(loop.name, (*extent + factor - 1) / factor);
  }
}

void vectorize(DirectiveCall& call) {
  mark(call, [](Halide::Stage stage, const Loop& loop, int factor, TailStrategy tail) {
    factor == 0 ? stage.vectorize(loop.var()) : stage.vectorize(loop.var(), factor, tail);
  });
}

void unroll(DirectiveCall& call) {
  mark(call, [](Halide::Stage stage, const Loop& loop, int factor, TailStrategy tail) {
    factor == 0 ? stage.unroll(loop.var()) : stage.unroll(loop.var(), factor, tail);
  });
}

// parallel keeps the name for the loop over tasks.
void parallel(DirectiveCall& call) {
  mark(call, [](Halide::Stage stage, const Loop& loop, int factor, TailStrategy tail) {
    factor == 0 ? stage.parallel(loop.var()) : stage.parallel(loop.var(), factor, tail);
  });
}

void serial(DirectiveCall& call) {
  const Loop loop = call.loop(0);
  if (call.ok()) call.halide().serial(loop.var());
}

void atomic(DirectiveCall& call) {
  const bool override_test = call.flag(0, false);
  if (call.ok()) call.halide().atomic(override_test);
}

void allow_race_conditions(DirectiveCall& call) { call.halide().allow_race_conditions(); }

void unscheduled(DirectiveCall& call) { call.halide().unscheduled(); }

void partition(DirectiveCall& call) {
  const Loop loop = call.loop(0);
  const std::string word = call.word(1);
  if (!call.ok()) return;
  if (word == "Auto") {
    call.halide().partition(loop.var(), Halide::Partition::Auto);
  } else if (word == "Never") {
    call.halide().partition(loop.var(), Halide::Partition::Never);
  } else if (word == "Always") {
    call.halide().partition(loop.var(), Halide::Partition::Always);
  } else {
    call.fail_at(call.argument(1).span, "sched-arguments",
                 fmt::format("'{}' is no partition policy; there are Auto, Never, Always", word));
  }
}

std::vector<VarOrRVar> all_vars(DirectiveCall& call) {
  std::vector<VarOrRVar> vars;
  for (const Loop& loop : call.loops(0, call.count())) vars.push_back(loop.var());
  return vars;
}

void never_partition(DirectiveCall& call) {
  const auto vars = all_vars(call);
  if (call.ok()) call.halide().never_partition(vars);
}

void always_partition(DirectiveCall& call) {
  const auto vars = all_vars(call);
  if (call.ok()) call.halide().always_partition(vars);
}

void never_partition_all(DirectiveCall& call) { call.halide().never_partition_all(); }
void always_partition_all(DirectiveCall& call) { call.halide().always_partition_all(); }

void prefetch(DirectiveCall& call) {
  const std::string what = call.name(call.argument(0), "a stage or an input");
  const Loop at = call.loop(1);
  const Loop from = call.loop(2);
  const std::int64_t offset = call.count() > 3 ? call.integer(3, 0) : 1;
  const std::string word = call.count() > 4 ? call.word(4) : "GuardWithIf";
  if (!call.ok()) return;
  auto strategy = Halide::PrefetchBoundStrategy::GuardWithIf;
  if (word == "Clamp") {
    strategy = Halide::PrefetchBoundStrategy::Clamp;
  } else if (word == "NonFaulting") {
    strategy = Halide::PrefetchBoundStrategy::NonFaulting;
  } else if (word != "GuardWithIf") {
    return call.fail_at(
        call.argument(4).span, "sched-arguments",
        fmt::format("'{}' is no prefetch strategy; there are Clamp, GuardWithIf, NonFaulting",
                    word));
  }
  for (const InputInfo& input : call.pipeline().view().inputs) {
    if (input.role != what) continue;
    call.halide().prefetch(input.param, at.var(), from.var(), factor_of(offset), strategy);
    return;
  }
  StageState* stage = call.other_stage(0);
  if (call.ok()) {
    call.halide().prefetch(stage->stage->func, at.var(), from.var(), factor_of(offset), strategy);
  }
}

}  // namespace

TailStrategy tail_for(DirectiveCall& call, std::size_t i, const Loop& loop, std::int64_t factor) {
  const std::string word = i < call.count() ? call.word(i) : "Auto";
  if (!call.ok()) return TailStrategy::Auto;
  const auto* found = std::find_if(kTails.begin(), kTails.end(),
                                   [&](const auto& tail) { return word == tail.first; });
  if (found == kTails.end()) {
    std::string names;
    for (const auto& tail : kTails) names += (names.empty() ? "" : ", ") + std::string(tail.first);
    call.fail_at(call.argument(i).span, "sched-arguments",
                 fmt::format("'{}' is no tail strategy; there are {}", word, names));
    return TailStrategy::Auto;
  }
  const TailStrategy tail = found->second;
  const auto extent = call.extent(loop.name);
  if (!call.stage().is_output || loop.is_reduction || !extent) {
    // Shifting or rounding a region smaller than the factor would read inputs outside of them.
    return tail == TailStrategy::Auto ? TailStrategy::GuardWithIf : tail;
  }
  const bool divides = *extent % factor == 0;
  if (tail == TailStrategy::Auto && !divides && *extent < factor) return TailStrategy::GuardWithIf;
  const bool shifts =
      tail == TailStrategy::ShiftInwards || tail == TailStrategy::ShiftInwardsAndBlend;
  const bool rounds = tail == TailStrategy::RoundUp || tail == TailStrategy::RoundUpAndBlend ||
                      tail == TailStrategy::PredicateLoads;
  if ((shifts && *extent < factor) || (rounds && !divides)) {
    call.fail_at(call.argument(i).span, "sched-tail",
                 fmt::format("{} would write outside '{}': loop '{}' has {} iterations and the "
                             "factor is {}; use GuardWithIf",
                             word, call.stage().role(), loop.name, *extent, factor));
  }
  return tail;
}

void split_extent(DirectiveCall& call, const std::string& old, const std::string& outer,
                  const std::string& inner, std::int64_t factor) {
  const auto extent = call.extent(old);
  call.set_extent(old, std::nullopt);
  call.set_extent(
      outer, extent ? std::optional<std::int64_t>((*extent + factor - 1) / factor) : std::nullopt);
  call.set_extent(inner, factor);
}

std::vector<DirectiveSpec> loop_directives() {
  constexpr Scope kDef = Scope::kDefinition;
  return {
      {"split", kDef, 4, 5, "split(loop, outer, inner, factor [, tail])", split},
      {"fuse", kDef, 3, 3, "fuse(inner, outer, fused)", fuse},
      {"reorder", kDef, 1, 64, "reorder(innermost, …, outermost)", reorder},
      {"rename", kDef, 2, 2, "rename(loop, name)", rename},
      {"tile", kDef, 3, 9,
       "tile(x, y, [xo, yo,] xi, yi, fx, fy [, tail]) or tile({x,…}, [{xo,…},] {xi,…}, {fx,…} [, "
       "tail])",
       tile},
      {"vectorize", kDef, 1, 3, "vectorize(loop [, factor [, tail]])", vectorize},
      {"unroll", kDef, 1, 3, "unroll(loop [, factor [, tail]])", unroll},
      {"parallel", kDef, 1, 3, "parallel(loop [, task_size [, tail]])", parallel},
      {"serial", kDef, 1, 1, "serial(loop)", serial},
      {"atomic", kDef, 0, 1, "atomic([override_associativity_test])", atomic},
      {"allow_race_conditions", kDef, 0, 0, "allow_race_conditions()", allow_race_conditions},
      {"unscheduled", kDef, 0, 0, "unscheduled()", unscheduled},
      {"partition", kDef, 2, 2, "partition(loop, Auto|Never|Always)", partition},
      {"never_partition", kDef, 1, 64, "never_partition(loop, …)", never_partition},
      {"always_partition", kDef, 1, 64, "always_partition(loop, …)", always_partition},
      {"never_partition_all", kDef, 0, 0, "never_partition_all()", never_partition_all},
      {"always_partition_all", kDef, 0, 0, "always_partition_all()", always_partition_all},
      {"prefetch", kDef, 3, 5, "prefetch(stage or input, at, from [, offset [, strategy]])",
       prefetch},
  };
}

}  // namespace frit

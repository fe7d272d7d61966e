// Directives on a whole stage: bounds, storage, memory.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "schedules/directives.h"

namespace frit {
namespace {

using Halide::MemoryType;
using Scope = DirectiveSpec::Scope;

int as_int(std::int64_t value) { return static_cast<int>(value); }

void bound(DirectiveCall& call) {
  const Halide::Var axis = call.axis(0);
  const std::int64_t min = call.integer(1, -2147483647);
  const std::int64_t extent = call.integer(2, 1);
  if (call.ok()) call.func().bound(axis, as_int(min), as_int(extent));
}

void bound_extent(DirectiveCall& call) {
  const Halide::Var axis = call.axis(0);
  const std::int64_t extent = call.integer(1, 1);
  if (call.ok()) call.func().bound_extent(axis, as_int(extent));
}

void align_bounds(DirectiveCall& call) {
  const Halide::Var axis = call.axis(0);
  const std::int64_t modulus = call.integer(1, 1);
  const std::int64_t remainder = call.count() > 2 ? call.integer(2, 0) : 0;
  if (call.ok()) call.func().align_bounds(axis, as_int(modulus), as_int(remainder));
}

void align_extent(DirectiveCall& call) {
  const Halide::Var axis = call.axis(0);
  const std::int64_t modulus = call.integer(1, 1);
  if (call.ok()) call.func().align_extent(axis, as_int(modulus));
}

void bound_storage(DirectiveCall& call) {
  const Halide::Var axis = call.axis(0);
  const std::int64_t extent = call.integer(1, 1);
  if (call.ok()) call.func().bound_storage(axis, as_int(extent));
}

void align_storage(DirectiveCall& call) {
  const Halide::Var axis = call.axis(0);
  const std::int64_t alignment = call.integer(1, 1);
  if (call.ok()) call.func().align_storage(axis, as_int(alignment));
}

void fold_storage(DirectiveCall& call) {
  const Halide::Var axis = call.axis(0);
  const std::int64_t extent = call.integer(1, 1);
  const bool forward = call.flag(2, true);
  if (call.ok()) call.func().fold_storage(axis, as_int(extent), forward);
}

void reorder_storage(DirectiveCall& call) {
  std::vector<Halide::Var> axes;
  for (std::size_t i = 0; i < call.count(); ++i) {
    axes.push_back(call.axis(i));
    for (std::size_t j = 0; call.ok() && j < i; ++j) {
      if (!axes[j].same_as(axes[i])) continue;
      call.fail_at(call.argument(i).span, "sched-arguments",
                   fmt::format("axis '{}' is named twice; name each once", axes[i].name()));
    }
  }
  if (call.ok()) call.func().reorder_storage(axes);
}

void store_in(DirectiveCall& call) {
  static constexpr std::array<std::pair<const char*, MemoryType>, 6> kTypes = {{
      {"Auto", MemoryType::Auto},
      {"Heap", MemoryType::Heap},
      {"Stack", MemoryType::Stack},
      {"Register", MemoryType::Register},
      {"GPUShared", MemoryType::GPUShared},
      {"LockedCache", MemoryType::LockedCache},
  }};
  const std::string word = call.word(0);
  if (!call.ok()) return;
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&](const auto& type) { return word == type.first; });
  if (found != kTypes.end()) {
    call.func().store_in(found->second);
    return;
  }
  call.fail_at(call.argument(0).span, "sched-arguments",
               fmt::format("'{}' is no memory; there are Auto, Heap, Stack, Register, GPUShared, "
                           "LockedCache",
                           word));
}

void ring_buffer(DirectiveCall& call) {
  const std::int64_t extent = call.integer(0, 1);
  if (call.ok()) call.func().ring_buffer(as_int(extent));
}

}  // namespace

std::vector<DirectiveSpec> storage_directives() {
  constexpr Scope kStage = Scope::kStage;
  return {
      {"bound", kStage, 3, 3, "bound(axis, min, extent)", bound},
      {"bound_extent", kStage, 2, 2, "bound_extent(axis, extent)", bound_extent},
      {"align_bounds", kStage, 2, 3, "align_bounds(axis, modulus [, remainder])", align_bounds},
      {"align_extent", kStage, 2, 2, "align_extent(axis, modulus)", align_extent},
      {"bound_storage", kStage, 2, 2, "bound_storage(axis, extent)", bound_storage},
      {"align_storage", kStage, 2, 2, "align_storage(axis, alignment)", align_storage},
      {"fold_storage", kStage, 2, 3, "fold_storage(axis, extent [, forward])", fold_storage},
      {"reorder_storage", kStage, 1, 16, "reorder_storage(innermost, …)", reorder_storage},
      {"store_in", kStage, 1, 1, "store_in(Auto|Heap|Stack|Register|GPUShared|LockedCache)",
       store_in},
      {"ring_buffer", kStage, 1, 1, "ring_buffer(extent)", ring_buffer},
  };
}

}  // namespace frit

#include "generators/emit/one_touch.h"

#include <map>
#include <string>

namespace frit {
namespace {

using Halide::TailStrategy;
using Halide::Internal::Split;

bool guards_its_tail(TailStrategy tail) {
  return tail == TailStrategy::GuardWithIf || tail == TailStrategy::Predicate;
}

// Name of a loop without the path that Halide puts before it ("out.s0.x" -> "x").
std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

bool writes_each_element_once(const Stage& output) {
  const Halide::Internal::Function& function = output.func.function();
  if (!function.updates().empty() || !function.definition().specializations().empty()) return false;
  std::map<std::string, std::int64_t> extents;
  for (std::size_t axis = 0; axis < output.axes.size(); ++axis) {
    extents[output.axes[axis].name()] = output.extents[axis];
  }
  for (const Split& split : function.definition().schedule().splits()) {
    const std::string outer = last_part(split.outer), inner = last_part(split.inner);
    const std::string old = last_part(split.old_var);
    if (split.split_type == Split::FuseVars) {
      extents[old] = extents[outer] * extents[inner];
      continue;
    }
    if (split.split_type == Split::RenameVar) {
      extents[outer] = extents[old];
      continue;
    }
    const auto factor = Halide::Internal::as_const_int(split.factor);
    if (!factor || *factor <= 0) return false;
    if (extents[old] % *factor != 0 && !guards_its_tail(split.tail)) return false;
    extents[outer] = (extents[old] + *factor - 1) / *factor;
    extents[inner] = *factor;
  }
  return true;
}

}  // namespace frit

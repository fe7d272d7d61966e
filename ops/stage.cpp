#include "ops/stage.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ops/base/assert.h"
#include "ops/halide_type.h"

namespace frit {

using Halide::Expr;
using Halide::Var;

Expr read_padded(const Operand& operand, const Index& index, const std::vector<std::int64_t>& low,
                 const std::vector<std::int64_t>& high, double fill) {
  const std::vector<std::int64_t> dims = operand.type.dims();
  const auto at_or_zero = [](const std::vector<std::int64_t>& v, std::size_t a) {
    return a < v.size() ? v[a] : 0;
  };
  bool covered = true;
  for (std::size_t a = 0; a < index.size(); ++a) {
    const std::int64_t need_low = at_or_zero(low, a);
    const std::int64_t need_high = at_or_zero(high, a);
    if (need_low <= 0 && need_high <= 0) continue;
    covered = covered && operand.halo_fill == fill && at_or_zero(operand.halo_low, a) >= need_low &&
              at_or_zero(operand.halo_high, a) >= need_high;
  }
  if (covered) return operand.at(index);

  Expr inside = Halide::Internal::const_true();
  Index clamped = index;
  for (std::size_t a = 0; a < index.size(); ++a) {
    if (at_or_zero(low, a) <= 0 && at_or_zero(high, a) <= 0) continue;
    const int last = static_cast<int>(dims[a]) - 1;
    inside = inside && index[a] >= 0 && index[a] <= last;
    clamped[a] = Halide::clamp(index[a], 0, last);
  }
  const Expr outside = stored_constant(operand.type.dtype, fill);
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return outside;
  return Halide::select(inside, operand.at(clamped), outside);
}

Halide::FuncRef Stage::operator()(const Index& index) const {
  FRIT_ASSERT(index.size() == order.size(), "stage " + role + " read with another rank");
  std::vector<Expr> arguments;
  arguments.reserve(order.size());
  for (const int axis : order) arguments.push_back(index[static_cast<std::size_t>(axis)]);
  return func(arguments);
}

Halide::FuncRef Stage::operator()() const {
  std::vector<Var> arguments;
  arguments.reserve(order.size());
  for (const int axis : order) arguments.push_back(axes[static_cast<std::size_t>(axis)]);
  return func(arguments);
}

StageBuilder::StageBuilder(std::vector<Var> axes, std::vector<int> order,
                           std::vector<std::int64_t> extents, std::string prefix,
                           std::string unique)
    : axes_(std::move(axes)),
      order_(std::move(order)),
      extents_(std::move(extents)),
      prefix_(std::move(prefix)),
      unique_(std::move(unique)) {}

Stage& StageBuilder::stage(const std::string& role) {
  return stage_own(role, axes_, order_, extents_);
}

Stage& StageBuilder::stage_over(const std::string& role, const std::vector<int>& output_axes) {
  std::vector<Var> axes;
  std::vector<std::int64_t> extents;
  std::vector<int> order;
  for (const int axis : output_axes) {
    axes.push_back(axes_[static_cast<std::size_t>(axis)]);
    extents.push_back(extents_[static_cast<std::size_t>(axis)]);
  }
  for (const int axis : order_) {
    for (std::size_t i = 0; i < output_axes.size(); ++i) {
      if (output_axes[i] == axis) order.push_back(static_cast<int>(i));
    }
  }
  return stage_own(role, std::move(axes), std::move(order), std::move(extents));
}

Stage& StageBuilder::stage_own(const std::string& role, std::vector<Var> axes,
                               std::vector<int> order, std::vector<std::int64_t> extents) {
  auto stage = std::make_unique<Stage>();
  stage->role = prefix_.empty() ? role : (role.empty() ? prefix_ : prefix_ + "_" + role);
  stage->func = Halide::Func(stage->role + unique_);
  stage->axes = std::move(axes);
  stage->order = std::move(order);
  stage->extents = std::move(extents);
  stages_.push_back(std::move(stage));
  return *stages_.back();
}

Halide::RDom reduction_domain(const std::vector<std::string>& names,
                              const std::vector<std::int64_t>& extents,
                              std::map<std::string, Halide::RVar>& out_axes) {
  Halide::Region bounds;
  for (const std::int64_t extent : extents) bounds.emplace_back(0, static_cast<int>(extent));
  Halide::RDom domain(bounds, "r");
  for (std::size_t i = 0; i < names.size(); ++i) {
    out_axes.emplace(names[i], domain[static_cast<int>(i)]);
  }
  return domain;
}

}  // namespace frit

// What an operator's Halide algorithm reads and makes: operands and stages.
//
// Operators are written in logical axes, outermost first as ONNX counts them. How a value lies in
// memory is a fact of the plan (DESIGN.md, "Axes, storage, extents"): a Stage maps logical indices
// to Halide's dimensions (innermost first) by its `order`, so that no operator knows about layouts.
#pragma once

#include <Halide.h>

#include <functional>
#include <memory>
#include <map>
#include <string>
#include <vector>

#include "ops/base/tensor_type.h"

namespace frit {

/// Logical indices, outermost axis first.
using Index = std::vector<Halide::Expr>;

/// A readable value inside a pipeline under construction.
struct Operand {
  TensorType type;
  /// Element at a logical index that lies inside the extents, or inside the halo below.
  std::function<Halide::Expr(const Index&)> at;
  /// Elements beyond the extents that `at` may read, per logical axis (empty: none), all equal to
  /// `halo_fill`.
  std::vector<std::int64_t> halo_low, halo_high;
  double halo_fill = 0.0;
};

/// Reads `operand` at `index`, which may lie up to low[a] before or high[a] past the extents of
/// axis a; such elements read as `fill`. Direct when the halo covers them, else a select.
Halide::Expr read_padded(const Operand& operand, const Index& index,
                         const std::vector<std::int64_t>& low,
                         const std::vector<std::int64_t>& high, double fill);

/// One Halide Func of a pipeline, with the names a schedule uses for it.
struct Stage {
  std::string role;             ///< "acc", "out", "epi_0", … unique in the pipeline
  Halide::Func func;
  std::vector<Halide::Var> axes;  ///< logical axes, outermost first; names are those of schedules
  std::vector<int> order;         ///< logical axis of each Halide dimension, innermost first
  std::map<std::string, Halide::RVar> reduction;  ///< by schedule name ("c", "ry"); empty: pure
  std::vector<std::int64_t> extents;  ///< of `axes`
  int op_cost = 1;                    ///< rough scalar operations per element, for inlining

  bool is_reduction() const { return !reduction.empty(); }
  /// func at a logical index.
  Halide::FuncRef operator()(const Index& index) const;
  /// func at its own axes.
  Halide::FuncRef operator()() const;
};

/// Hands out stages to an operator's `build`. The composer makes one per operator.
class StageBuilder {
 public:
  /// `axes` and `order` are those of the operator's output; `prefix` starts every role ("epi_2",
  /// or "" for an anchor, whose stages keep their own names).
  StageBuilder(std::vector<Halide::Var> axes, std::vector<int> order,
               std::vector<std::int64_t> extents, std::string prefix, std::string unique);

  const std::vector<Halide::Var>& axes() const { return axes_; }
  Index index() const { return {axes_.begin(), axes_.end()}; }
  const std::vector<int>& order() const { return order_; }
  const std::vector<std::int64_t>& extents() const { return extents_; }

  /// A stage over the output's axes.
  Stage& stage(const std::string& role);
  /// A stage over a subset of the output's axes (softmax's row maximum), given by position.
  Stage& stage_over(const std::string& role, const std::vector<int>& output_axes);
  /// A stage over axes of its own.
  Stage& stage_own(const std::string& role, std::vector<Halide::Var> axes, std::vector<int> order,
                   std::vector<std::int64_t> extents);

  /// Stages in order of making. References stay valid while the builder lives.
  std::vector<std::unique_ptr<Stage>>& stages() { return stages_; }

 private:
  std::vector<Halide::Var> axes_;
  std::vector<int> order_;
  std::vector<std::int64_t> extents_;
  std::string prefix_;
  std::string unique_;
  std::vector<std::unique_ptr<Stage>> stages_;
};

/// An RDom over [0,extents) whose variables are named for schedules: out_axes["c"] = r[0] …
Halide::RDom reduction_domain(const std::vector<std::string>& names,
                              const std::vector<std::int64_t>& extents,
                              std::map<std::string, Halide::RVar>& out_axes);

}  // namespace frit

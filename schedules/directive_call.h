// One `.name(arguments)` of a directive line under application: its arguments as typed values.
//
// Each reader checks its argument and keeps the first fault; after a fault every reader returns a
// harmless value, so a directive reads all its arguments, then asks ok().
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ops/base/result.h"
#include "ops/operator.h"
#include "schedules/pipeline_state.h"

namespace frit {

/// The axis that "dim0" … "dim9" stand for (the stage's dimensions in memory, innermost first);
/// any other name as it is.
std::string loop_behind(const StageState& stage, const std::string& name);

class DirectiveCall {
 public:
  DirectiveCall(const ScheduleAst& ast, const DirectiveLine::Call& call, PipelineState& pipeline,
                const Facts& bound, StageState& stage, int definition)
      : ast_(ast),
        call_(call),
        pipeline_(pipeline),
        bound_(bound),
        stage_(stage),
        definition_(definition) {}

  std::size_t count() const { return call_.arguments.size(); }
  bool ok() const { return !fault_.has_value(); }
  const std::optional<Diagnostic>& fault() const { return fault_; }
  SourcePlace place() const { return place_of(ast_, call_.span); }
  const DirectiveLine::Call& call() const { return call_; }

  StageState& stage() const { return stage_; }
  int definition() const { return definition_; }
  PipelineState& pipeline() const { return pipeline_; }
  Halide::Func func() const { return stage_.stage->func; }
  Halide::Stage halide() const { return halide_stage(stage_, definition_); }

  /// A loop of this definition.
  Loop loop(std::size_t i);
  Loop loop(const Expression& e);
  std::vector<Loop> loops(std::size_t first, std::size_t end);
  /// A new loop name: must not be one of this definition's loops, except those in `replaced`.
  Halide::VarOrRVar fresh(std::size_t i, bool reduction, const std::set<std::string>& replaced);
  Halide::VarOrRVar fresh(const Expression& e, bool reduction,
                          const std::set<std::string>& replaced);
  /// An axis of the stage (a dimension of its storage).
  Halide::Var axis(std::size_t i);
  std::int64_t integer(std::size_t i, std::int64_t least);
  std::int64_t integer(const Expression& e, std::int64_t least);
  bool flag(std::size_t i, bool otherwise);
  /// The elements of a list argument.
  const std::vector<Expression>& list(std::size_t i);
  StageState* other_stage(std::size_t i, int* definition = nullptr);
  /// "GuardWithIf" or "TailStrategy::GuardWithIf": the last part of a name, "" when absent.
  std::string word(std::size_t i);
  /// The name written at i; a fault when it is no plain name.
  std::string name(const Expression& e, const std::string& wanted);
  bool is_name(std::size_t i) const;
  bool is_list(std::size_t i) const;

  const Expression& argument(std::size_t i) const { return call_.arguments[i]; }
  Diagnostic error_here(const Span& span, std::string code, std::string message) const;
  void fail_at(const Span& span, std::string code, std::string message);
  void fail_with(Diagnostic diagnostic);

  /// Known trip count of a loop of this definition.
  std::optional<std::int64_t> extent(const std::string& loop) const;
  void set_extent(const std::string& loop, std::optional<std::int64_t> extent);

 private:
  const ScheduleAst& ast_;
  const DirectiveLine::Call& call_;
  PipelineState& pipeline_;
  const Facts& bound_;
  StageState& stage_;
  int definition_;
  std::optional<Diagnostic> fault_;
};

}  // namespace frit

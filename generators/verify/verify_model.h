// Runs a compiled model and judges it by the double reference: as a whole, and kernel by kernel.
//
// Whole: the model's outputs against the reference of the graph *as imported*, so that passes,
// fusion, schedules and kernels are all under test. Groups: each kernel is fed with reference
// values rounded to the value's type and judged by NUMERICS.md's bound of one group, so that a
// fault is found where it is made.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "generators/emit/model_runner.h"
#include "generators/verify/compare.h"
#include "generators/verify/test_data.h"

namespace frit {

struct VerifyOptions {
  bool groups = false;
  /// Data that the model is run on, one run each.
  std::vector<DataKind> kinds{DataKind::kRandom};
  std::uint64_t seed = 1;
  /// Values of graph inputs by name, in every run; inputs without one get data of the run's kind.
  std::map<std::string, Tensor> inputs;
  /// What another engine (ONNX Runtime) gave for these inputs, by output name; may be empty.
  std::map<std::string, Tensor> peer_outputs;
  double slack = 1e-6;  ///< 1e-4 under `fast` numerics
  /// Judges the whole by the propagated bound of every element instead of the max-norm rule: exact
  /// about NaN, Inf and steps (Floor, Less), but loose for deep models. For small graphs.
  bool whole_by_bounds = false;
  /// Runs the whole model: inputs and outputs in graph order. Unset: kernel after kernel with every
  /// value in a buffer of its own, which does not see faults of the arena and its plan.
  std::function<Result<std::vector<Tensor>>(const std::vector<Tensor>&)> run_whole;
};

struct ValueVerdict {
  std::string name;
  Comparison comparison;
};

struct GroupVerdict {
  std::string name;
  std::vector<std::string> origins;  ///< ONNX nodes
  std::vector<ValueVerdict> outputs;
  bool passed() const;
};

struct RunVerdict {
  std::string data;  ///< "random:1", "zeros" …
  std::vector<ValueVerdict> outputs;
  std::vector<GroupVerdict> groups;  ///< empty unless asked for
  bool passed() const;
};

struct ModelVerdict {
  std::vector<RunVerdict> runs;
  bool passed() const;
};

/// `imported` is the graph before passes, `graph` the one planned; inputs and outputs have the same
/// names in both. Errors: those of ModelRunner and of evaluate_graph.
Result<ModelVerdict> verify_model(const Graph& imported, const Graph& graph, const Plan& plan,
                                  const CompiledModel& model, const VerifyOptions& options);

/// One line for each output, and for each group that is wrong or, with `all_groups`, for each.
std::string to_text(const ModelVerdict& verdict, bool all_groups);

}  // namespace frit

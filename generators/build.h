// The way of a model through the house, up to compiled kernels: import, passes, plan, emit.
//
// Each step can be taken alone (its own folder); every command of `frit` takes a prefix of this
// way.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "generators/emit/emit.h"
#include "generators/fusion/planner.h"
#include "generators/onnx/import.h"
#include "generators/passes/passes.h"

namespace frit {

struct BuildOptions {
  std::filesystem::path model;
  ImportOptions import;
  std::vector<std::string> extra_outputs;  ///< values, by name, that become graph outputs as well
  PassOptions passes;
  PlanOptions plan;
  std::string pinned_plan;  ///< file with a plan's text that is taken instead; "": none
  EmitOptions emit;
};

/// The model before and after the passes, laid out and planned.
struct PlannedModel {
  Graph imported;  ///< as the file says, types inferred: what verify judges by
  Graph graph;     ///< canonical, with layout nodes
  std::vector<PassReport> passes;
  Plan plan;
};

struct BuiltModel {
  PlannedModel planned;
  CompiledModel compiled;
};

/// Import, passes, layouts, plan. All faults of the first step that has any; "build-no-such-value"
/// where extra_outputs names none; "build-read" where pinned_plan cannot be read.
tl::expected<PlannedModel, Diagnostics> plan_model(const BuildOptions& options);

/// Every kernel of a planned model.
tl::expected<BuiltModel, Diagnostics> compile_model(PlannedModel planned,
                                                    const BuildOptions& options);

/// plan_model, then compile_model.
tl::expected<BuiltModel, Diagnostics> build_model(const BuildOptions& options);

}  // namespace frit

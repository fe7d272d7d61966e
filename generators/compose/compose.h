// From a group to one Halide pipeline with stages named by role, without a schedule.
//
// Works for any legal group: each node's operator builds its own Funcs on the operands of its
// producers (DESIGN.md, "Roles"). Inputs become ImageParams laid out as the plan's storage says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "generators/fusion/plan.h"
#include "schedules/pipeline_view.h"

namespace frit {

struct ComposedInput {
  ValueId value = kNone;
  std::string role;
  Halide::ImageParam param;
  bool is_constant = false;
  std::vector<std::string> axes;  ///< logical axis names of a constant, for packing
  const PackSpec* pack = nullptr; ///< set when a pack of the schedule lays it out
};

struct Composed {
  PipelineView view;
  std::vector<std::unique_ptr<Stage>> stages;  ///< owned; view.stages points here
  std::vector<ComposedInput> inputs;           ///< in kernel argument order
  std::vector<Halide::Func> outputs;           ///< in Group::outputs order
  std::vector<ValueId> output_values;
  std::vector<PackSpec> packs;
};

/// Facts of a group for choosing and binding a schedule; no Halide object is made.
Facts group_facts(const Graph& graph, const Plan& plan, const Group& group);

/// Error: "compose-…" where a rule of ops/ fails.
Result<std::unique_ptr<Composed>> compose(const Graph& graph, const Plan& plan, const Group& group,
                                          const std::vector<PackSpec>& packs);

/// The packed bytes of a constant, as `pack` says (dense copy when pack is null).
Tensor pack_constant(const Tensor& tensor, const std::vector<std::string>& axes,
                     const PackSpec* pack);

}  // namespace frit

// From a group to one Halide pipeline with stages named by role, without a schedule.
//
// Works for any legal group: each node's operator builds its own Funcs on the operands of its
// producers (DESIGN.md, "Roles"). Inputs become ImageParams laid out as the plan's storage says;
// constants as the schedule's `pack` says; constants of one element are literals of the kernel.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "generators/fusion/plan.h"
#include "schedules/pipeline_view.h"

namespace frit {

/// How one value that is read or written by a kernel lies in its buffer.
struct BufferLayout {
  struct Dim {
    std::int64_t min = 0, extent = 0, stride = 0;
  };
  std::vector<Dim> dims;          ///< Halide dimensions, innermost first
  std::int64_t offset_bytes = 0;  ///< from the first stored byte to element (min_0, min_1, …)
  std::int64_t bytes = 0;         ///< stored bytes, halo included
};

struct ComposedInput {
  ValueId value = kNone;
  std::string role;
  Halide::ImageParam param;
  bool is_constant = false;
  std::vector<std::string> axes;   ///< logical axis names of a constant, for packing
  const PackSpec* pack = nullptr;  ///< set when a pack of the schedule lays it out
  BufferLayout layout;
};

struct ComposedOutput {
  ValueId value = kNone;
  Halide::Func func;
  BufferLayout layout;
};

struct Composed {
  PipelineView view;
  std::vector<std::unique_ptr<Stage>> stages;  ///< owned; view.stages points here
  std::vector<ComposedInput> inputs;           ///< in kernel argument order
  std::vector<ComposedOutput> outputs;         ///< in Group::outputs order
  std::vector<PackSpec> packs;
};

/// Facts of a group for choosing and binding a schedule; no Halide object is made. Beside those of
/// the anchor: out_elements, out_rank, inner and inner2 (extents of the output's innermost stored
/// axes), inner_<axis> = 1 for that axis by the anchor's name ("inner_k": channels-last), const_w
/// and const_b (1 where the anchor has that constant input, so that a `pack` can lay it out),
/// nodes.
Facts group_facts(const Graph& graph, const Plan& plan, const Group& group);

/// Error: "compose-pack" where a pack does not fit its constant.
Result<std::unique_ptr<Composed>> compose(const Graph& graph, const Plan& plan, const Group& group,
                                          const std::vector<PackSpec>& packs);

/// Role and axis names of a constant input of a group: those its anchor gives it ("w" with
/// {"k","c","ry","rx"}), else ("", {"d0","d1",…}).
std::pair<std::string, std::vector<std::string>> constant_role_of(const Graph& graph,
                                                                  const Group& group,
                                                                  ValueId value);

/// A constant that the composer writes into the code instead of reading it from a buffer: one
/// element, no float zero, Inf or NaN (x * 0 would be folded to 0 and lose x's NaN).
bool is_literal(const Value& value);

}  // namespace frit

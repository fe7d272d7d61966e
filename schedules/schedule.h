// A schedule file: parsed text, its holes, and its application to a pipeline.
//
// The way: parse_schedule -> applies (for + when) -> bind (values of the params) -> packs_of
// (before the pipeline is composed, since packing decides how weights are indexed) ->
// apply_schedule. Grammar: doc/schedule-language.md. A failed apply leaves a half-scheduled Func:
// the caller composes afresh.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ops/base/result.h"
#include "schedules/pipeline_view.h"

namespace frit {

struct ScheduleAst;  // schedules/ast.h

/// Copyable handle to an immutable parsed file.
struct Schedule {
  std::string file;
  std::shared_ptr<const ScheduleAst> ast;
};

/// Facts about the target: {"x86",1}, {"avx512",1}, {"lanes",16}, {"threads",1}, {"registers",32},
/// {"l1_bytes",…}, {"l2_bytes",…}. Spelled `x86.avx512` or plain in conditions.
Facts target_facts(const Halide::Target& target, int threads);

/// All faults at once.
tl::expected<Schedule, Diagnostics> parse_schedule(const std::string& text,
                                                   const std::string& file);

/// Normal form: parses to the same Schedule; printing that gives the same text.
std::string print_schedule(const Schedule& schedule);

/// The params in force, "kb = 3, tx = 7", in order of the file; "" without any.
std::string params_text(const Schedule& schedule, const Facts& bound);

/// True when `for` names the anchor and every `when` holds. A name unknown to `facts` makes a
/// condition false.
bool applies(const Schedule& schedule, const std::string& anchor, const Facts& facts);

/// Values of params: defaults, overridden by `chosen`. Error: "sched-param-value" where a value is
/// outside its set.
Result<Facts> bind_params(const Schedule& schedule, const Facts& facts, const Facts& chosen);

/// `pack` lines with numbers filled in. `bound` = facts and params together, from bind_params.
Result<std::vector<PackSpec>> packs_of(const Schedule& schedule, const Facts& bound);

/// Applies every directive, then places the stages that the text does not name (defaults.h).
Status apply_schedule(const Schedule& schedule, PipelineView& view, const Facts& bound,
                      const Halide::Target& target);

/// The safe schedule for any pipeline on any target: right first, vectorised where plain.
Status apply_default_schedule(PipelineView& view, const Facts& facts, const Halide::Target& target);

/// The same without vectors, for a pipeline of which Halide makes no vector code. Not for GPUs.
Status apply_plain_schedule(PipelineView& view, const Facts& facts, const Halide::Target& target);

/// The default, but what is not inlined is computed whole and first. For the rare pipeline of which
/// the default would need memory of no constant size (a clamped read of a tile).
Status apply_root_schedule(PipelineView& view, const Facts& facts, const Halide::Target& target);

/// The shipped files, most particular first (embedded at build from schedules/library/*.sched).
const std::vector<Schedule>& shipped_schedules();

/// Of `candidates` that apply the one of highest priority, the first of equals; or nullptr.
const Schedule* choose_schedule(const std::vector<Schedule>& candidates, const std::string& anchor,
                                const Facts& facts);

}  // namespace frit

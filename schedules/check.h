// Checks a schedule text against a pipeline, as deep as asked, for `frit check` and editors.
//
// Each depth does the ones before it: parse and apply (about 1 ms), loop nest (about 5 ms: Halide
// builds the nest and refuses what it cannot), lowering (about 0.1 s: bounds, storage, vectors).
// A failed apply leaves a half-scheduled Func, so each check composes afresh.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/base/result.h"
#include "schedules/schedule.h"

namespace frit {

enum class CheckDepth : std::uint8_t { kParse, kApply, kNest, kLower };
/// "parse", "apply", "nest", "lower"; nullopt for another word.
std::optional<CheckDepth> check_depth_named(std::string_view name);

/// The group that a text is checked against.
struct CheckGroup {
  std::string anchor;
  Facts facts;   ///< of the group and of the target
  Facts chosen;  ///< values of params; absent: the defaults
  Halide::Target target;
  /// A fresh pipeline whose constants lie as `packs` say. The view may share its owner's life:
  /// std::shared_ptr<PipelineView>(composed, &composed->view).
  std::function<Result<std::shared_ptr<PipelineView>>(const std::vector<PackSpec>& packs)> compose;
};

struct CheckReport {
  Diagnostics diagnostics;  ///< errors, and warnings that are not faults; in order of lines
  std::string nest;         ///< kNest and deeper: the loops as text
  bool ok() const;          ///< no error among the diagnostics
};

/// Checks `text`. Without a group (nullptr) it stops after parsing. A text whose `for` or `when`
/// does not fit the group gets a warning "sched-not-applicable" and is checked all the same.
/// Lowering is done with asserts: an access outside of a buffer is an error "sched-bounds".
CheckReport check_schedule(const std::string& text, const std::string& file, CheckDepth depth,
                           const CheckGroup* group);

/// Lowers a scheduled pipeline with asserts. Errors: an access outside of a buffer ("sched-bounds"),
/// and what Halide says is sure to fail when run, where a release kernel would go on in silence.
Diagnostics faults_when_lowered(const PipelineView& view, const Halide::Target& target,
                                const SourcePlace& place);

/// The loops of a scheduled pipeline, as Halide prints them.
Result<std::string> loop_nest_text(const PipelineView& view);

}  // namespace frit

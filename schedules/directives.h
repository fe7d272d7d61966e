// The table of scheduling directives: name, form, and what it does to Halide's schedule.
//
// Loop directives act on one definition (a stage or one of its updates), storage directives on the
// whole stage. Placement (compute_at …) is apart, in placement.h, since it is applied last.
#pragma once

#include <string>
#include <vector>

#include "schedules/directive_call.h"

namespace frit {

struct DirectiveSpec {
  enum class Scope : std::uint8_t { kDefinition, kStage, kPlacement, kMaking };
  const char* name;
  Scope scope;
  std::size_t least, most;  ///< arguments
  const char* form;         ///< "split(loop, outer, inner, factor [, tail])"
  /// Reads the arguments, then calls Halide if call.ok(). Null for kPlacement and kMaking.
  void (*apply)(DirectiveCall& call);
};

/// nullptr when there is none of that name.
const DirectiveSpec* find_directive(const std::string& name);
const std::vector<DirectiveSpec>& all_directives();

/// For a scheduling method of Halide's Func or Stage that schedules do not have: the reason. Null
/// for any other name.
const char* why_not_offered(const std::string& name);

/// Directives that divide, join or mark loops (loop_directives.cpp), those for GPUs
/// (gpu_directives.cpp) and those about storage and the whole stage (storage_directives.cpp).
std::vector<DirectiveSpec> loop_directives();
std::vector<DirectiveSpec> gpu_directives();
std::vector<DirectiveSpec> storage_directives();

/// The tail strategy of argument i, made safe for what is known of the loop: outputs are never
/// written outside (see doc/schedule-language.md, "Tails").
Halide::TailStrategy tail_for(DirectiveCall& call, std::size_t i, const Loop& loop,
                              std::int64_t factor);
/// Keeps known trip counts right over split(old, outer, inner, factor).
void split_extent(DirectiveCall& call, const std::string& old, const std::string& outer,
                  const std::string& inner, std::int64_t factor);

}  // namespace frit

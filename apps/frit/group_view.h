// One group on its way to machine code, as text: stages, schedule, loop nest, lowered code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generators/build.h"
#include "ops/base/result.h"

namespace frit {

enum class GroupView : std::uint8_t {
  kStages,    ///< the pipeline's stages by role, with axes and extents
  kSchedule,  ///< the .sched text in force
  kNest,      ///< loops
  kStmt,      ///< Halide's lowered code
  kAsm,       ///< machine code as assembly
};

struct GroupText {
  std::string group;
  std::string schedule;  ///< name of the schedule in force
  std::string text;
};

struct GroupTexts {
  std::vector<GroupText> groups;
  Diagnostics warnings;  ///< of shipped schedules that do not work out, as `frit build` says them
};

/// The kernel groups of the plan, or the one named (error "plan-no-such-group", naming some that
/// exist). Each is composed in a forked child, emit.jobs at once. A
/// shipped schedule that fails there gives way to the next, at last to the safe default, as far as
/// the view goes: one that applies but does not lower is seen by stmt and asm only.
tl::expected<GroupTexts, Diagnostics> view_groups(const PlannedModel& planned,
                                                  const std::string& group_name, GroupView view,
                                                  const EmitOptions& options);

/// The group of that name, or the error above.
Result<const Group*> find_group(const Plan& plan, const std::string& name);

}  // namespace frit

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

/// The kernel groups of the plan, or the one named (error "plan-no-such-group", naming some that
/// exist). Each is composed in a forked child, emit.jobs at once.
tl::expected<std::vector<GroupText>, Diagnostics> view_groups(const PlannedModel& planned,
                                                              const std::string& group_name,
                                                              GroupView view,
                                                              const EmitOptions& options);

/// The group of that name, or the error above.
Result<const Group*> find_group(const Plan& plan, const std::string& name);

}  // namespace frit

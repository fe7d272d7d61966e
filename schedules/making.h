// Directives that make a stage: rfactor, in, clone_in.
#pragma once

#include "schedules/directive_call.h"

namespace frit {

/// Makes the stage `role` from `call` (its name is one of the three) and adds it to the pipeline.
/// nullptr and a fault in `call` where that is not possible. May throw Halide's exceptions.
StageState* make_stage(DirectiveCall& call, const std::string& role);

}  // namespace frit

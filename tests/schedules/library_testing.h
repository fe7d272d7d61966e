// Real groups under shipped schedules, realised in process and compared with the same group under
// no schedule but "every reduction at the root".
#pragma once

#include <string>
#include <vector>

#include "generators/fusion/plan.h"
#include "tests/support/graph_builder.h"

namespace frit::testing {

/// What became of one kernel group.
struct Checked {
  std::string group;     ///< anchor
  std::string schedule;  ///< file, or "default"
  std::string failure;   ///< "" when equal within tolerance
};

struct CheckOptions {
  int threads = 1;
  bool opencl = false;          ///< through OpenCL (PoCL), else this machine's CPU
  bool all_that_apply = false;  ///< every shipped file that applies, not only the first
  bool with_default = true;     ///< the safe default too
};

/// Plans the graph of `builder` (its outputs set) and checks each kernel group.
std::vector<Checked> check_groups(GraphBuilder& builder, const CheckOptions& options = {});

/// Expects no failure, and that group `anchor` was checked under `schedule` ("" : any).
void expect_all_equal(GraphBuilder& builder, const std::string& anchor, const std::string& schedule,
                      const CheckOptions& options = {});

}  // namespace frit::testing

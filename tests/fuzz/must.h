// What a fuzz target holds to be true of every answer; false ends the run as a finding.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "ops/base/result.h"

namespace frit::testing {

inline void must(bool holds, const std::string& broken) {
  if (holds) return;
  std::fprintf(stderr, "FINDING: %s\n", broken.c_str());
  std::abort();
}

/// A refusal says something.
inline void must_speak(const Diagnostics& faults) {
  must(!faults.empty(), "refused without a diagnostic");
  for (const Diagnostic& fault : faults) {
    must(!fault.code.empty() && !fault.message.empty() && !to_text(fault).empty(),
         "a diagnostic without code or message");
  }
}

}  // namespace frit::testing

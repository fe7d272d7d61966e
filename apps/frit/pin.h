// Keeps this process on certain cores while it measures.
#pragma once

#include <vector>

#include "ops/base/result.h"

namespace frit {

/// Pins this process to `count` cores from `first` (-1: the last ones allowed: core 0 serves most
/// interrupts), written to `pinned`. Threads started later inherit it. Error "cli-pin" where too few
/// cores are allowed from `first` on.
Status pin_process(int first, int count, std::vector<int>& pinned);

}  // namespace frit

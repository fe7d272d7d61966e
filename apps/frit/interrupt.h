// Ctrl-C: ends the process with exit code 130, at once or at the next safe place.
#pragma once

namespace frit {

/// Until a scope is open, Ctrl-C ends the process at once.
void install_interrupt_handler();

/// While one lives, the first Ctrl-C only makes interrupt_requested() true, so that work that polls
/// it can end its children; a second one ends the process.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

bool interrupt_requested();

}  // namespace frit

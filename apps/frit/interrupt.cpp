#include "apps/frit/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "apps/frit/exit_code.h"

namespace frit {

namespace {

volatile sig_atomic_t polled = 0;
volatile sig_atomic_t requested = 0;

extern "C" void on_interrupt(int) {
  if (polled != 0 && requested == 0) {
    requested = 1;
    return;
  }
  // Only async-signal-safe calls. Files of the cache are put in place by rename, so whatever is
  // half written stays a temporary name.
  const char text[] = "\nfrit: interrupted\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, sizeof text - 1);
  ::_exit(static_cast<int>(ExitCode::kInterrupted));
}

}  // namespace

void install_interrupt_handler() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

InterruptScope::InterruptScope() { polled = 1; }
InterruptScope::~InterruptScope() { polled = 0; }

bool interrupt_requested() { return requested != 0; }

}  // namespace frit

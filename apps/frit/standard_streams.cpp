#include "apps/frit/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace frit {

void open_closed_streams() {
  // In this order: open() takes the lowest number that is free.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    const int access = stream == STDERR_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", access) < 0) return;  // then all is as it was
  }
}

}  // namespace frit

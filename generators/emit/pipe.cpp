#include "generators/emit/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace frit {

bool make_pipe(int (&ends)[2]) {
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  for (int& end : ends) {
    if (end > STDERR_FILENO) continue;
    const int moved = ::fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (moved < 0) {
      const int why = errno;
      ::close(ends[0]);
      ::close(ends[1]);
      errno = why;
      return false;
    }
    ::close(end);
    end = moved;
  }
  return true;
}

}  // namespace frit

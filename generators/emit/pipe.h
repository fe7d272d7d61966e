// The pipe between this process and a child.
#pragma once

namespace frit {

/// Read end, write end, closed on exec. Never descriptors 0 to 2, which a child's standard streams
/// take: a process may have been started with one of them closed. False, with errno, on failure.
bool make_pipe(int (&ends)[2]);

}  // namespace frit

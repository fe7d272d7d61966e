// Standard input, output and error of a program that was started without some of them.
#pragma once

namespace frit {

/// Puts /dev/null where 0, 1 or 2 is closed, so that no file or pipe opened later takes its number
/// and gets what was meant for a stream. Writing to such an output still fails: an answer that
/// nobody can read is no success. Call it first.
void open_closed_streams();

}  // namespace frit

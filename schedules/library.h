// The text of schedules/library/*.sched, put into the binary at build.
#pragma once

#include <string>
#include <vector>

namespace frit {

struct LibraryFile {
  std::string name;  ///< "conv2d_direct.sched"
  std::string text;
};

/// Sorted by name.
const std::vector<LibraryFile>& library_files();

}  // namespace frit

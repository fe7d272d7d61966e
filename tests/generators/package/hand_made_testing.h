// A small model compiled by hand: kernels written in C, so that packaging is tested on its own.
//
// x [1,3,6,8] -> relu, channels-last with a border of 1 filled by -1.5 -> 3x3 sum (temporaries, a
// parallel loop over rows) -> times weight per channel (in place) -> y dense. Outputs: y, and the
// scaled value itself, stored channels-last and so copied out; its name is no C identifier.
#pragma once

#include <string>
#include <vector>

#include "generators/emit/kernel.h"

namespace frit {

/// A folder under the system's temporary one, removed with all it holds.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct HandMade {
  Graph graph;
  Plan plan;
  CompiledModel compiled;
};

/// Compiles the kernels into `folder` with the C compiler `cc`.
HandMade hand_made_model(const std::string& folder, const std::string& cc = "cc");

/// What y and the scaled value (both dense) hold for an input, by plain loops.
struct HandMadeResult {
  std::vector<float> y, scaled;
};
HandMadeResult hand_made_result(const std::vector<float>& x);

struct ShellResult {
  int status = 0;
  std::string output;  ///< stdout and stderr together
};
/// For tests only: runs a command line.
ShellResult shell(const std::string& command);

}  // namespace frit

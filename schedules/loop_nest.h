// Who reads whom inside a scheduled pipeline, and where a stage may be computed.
//
// A stage may be computed at a loop that encloses all its uses. The uses of an inlined stage are
// those of the stages that read it. Sites run from the outermost loop to the innermost.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "schedules/pipeline_state.h"

namespace frit {

/// A definition that reads a stage, with how many different reads it has.
struct Use {
  StageState* consumer = nullptr;
  int definition = kPureDefinition;
  int reads = 0;
};

/// One loop of one definition.
struct Site {
  StageState* stage = nullptr;
  int definition = kPureDefinition;
  Loop loop;
  bool operator==(const Site& other) const {
    return stage == other.stage && definition == other.definition && loop.name == other.loop.name;
  }
};

/// A picture of the pipeline as it stands: make a new one after directives that add stages.
class LoopNest {
 public:
  explicit LoopNest(PipelineState& pipeline);

  /// Readers of `stage`, through stages that are inlined.
  std::vector<Use> uses(const StageState& stage) const;
  /// Loops enclosing every use, outermost first. Empty: only the root is left.
  std::vector<Site> legal_sites(const StageState& stage) const;
  /// Loops around the body of a definition, outermost first, from the root on.
  std::vector<Site> path_of(StageState& stage, int definition) const;

 private:
  struct Reader {
    std::string function;
    int definition = kPureDefinition;
    int reads = 0;
  };
  void add_function(const Halide::Internal::Function& function,
                    std::map<std::string, Halide::Internal::Function>& seen);
  void collect_uses(const std::string& function, int reads, std::vector<Use>& uses) const;
  std::vector<Site> path_to_compute(const StageState& stage) const;

  PipelineState& pipeline_;
  std::map<std::string, std::vector<Reader>> readers_;  // by function read
};

/// "out.ko > out.y > acc.update(0).c", or "the root".
std::string path_text(const std::vector<Site>& path);

}  // namespace frit

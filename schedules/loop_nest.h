// Who reads whom inside a scheduled pipeline, and where a stage may be computed.
//
// A stage may be computed at a loop that encloses all its uses. The uses of an inlined stage are
// those of the stages that read it. Sites run from the outermost loop to the innermost.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schedules/pipeline_state.h"

namespace frit {

/// A definition that reads a stage, directly or through inlined stages.
struct Use {
  StageState* consumer = nullptr;
  int definition = kPureDefinition;
  std::int64_t reads = 0;  ///< different reads, counted through inlined stages
  /// Variables of the consumer in the indices of the reads, per dimension of what is read.
  std::vector<std::set<std::string>> variables;
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

/// A picture of the pipeline. Make a new one after directives that add stages; call forget() after
/// one that places a stage.
class LoopNest {
 public:
  explicit LoopNest(PipelineState& pipeline);

  /// Readers of `stage`, through stages that are inlined.
  const std::vector<Use>& uses(const StageState& stage) const;
  /// Loops enclosing every use, outermost first. Empty: only the root is left.
  const std::vector<Site>& legal_sites(const StageState& stage) const;
  /// Loops around the body of a definition, outermost first, from the root on.
  std::vector<Site> path_of(const StageState& stage, int definition) const;
  /// Loops around the place where the stage is computed; empty: the root, inlined, or not legal.
  std::vector<Site> path_to_compute(const StageState& stage) const;
  /// Whether what is read of `stage` moves with the loop `site`, one of its legal sites.
  bool moves_with(const StageState& stage, const Site& site) const;
  /// Whether the stage's compute_at is at one of its legal sites (true when it has none).
  bool is_legal(const StageState& stage) const;

  void forget();

 private:
  struct Reader {
    std::string function;
    int definition = kPureDefinition;
    std::int64_t reads = 0;
    std::vector<std::set<std::string>> variables;
  };
  void add_function(const Halide::Internal::Function& function,
                    std::map<std::string, Halide::Internal::Function>& seen);
  const std::vector<Use>& uses_of(const std::string& function) const;
  const std::set<std::string>& moving(const StageState& stage, const StageState& at) const;

  PipelineState& pipeline_;
  std::map<std::string, std::vector<Reader>> readers_;            // by function read
  std::map<std::string, std::vector<std::string>> arguments_;     // pure variables by function
  mutable std::map<std::string, std::vector<Use>> uses_;          // until forget()
  mutable std::map<const StageState*, std::vector<Site>> legal_;  // until forget()
  mutable std::map<std::pair<const StageState*, const StageState*>, std::set<std::string>>
      moving_;  // until forget()
};

/// "for out.ko > for out.y > for acc.update(0).c", or "the root".
std::string path_text(const std::vector<Site>& path);

}  // namespace frit

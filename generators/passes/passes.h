// Rewrites of a graph before planning, each on or off by name, each telling what it changed.
//
// A pass is a name, a sentence and a function; each lives in its own file of this folder and is
// listed in passes.cpp. Every rewrite keeps the values within NUMERICS.md ("precise") and keeps
// graph outputs with their names. New nodes carry the origins of all nodes that they stand for.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "generators/graph/graph.h"
#include "ops/base/result.h"

namespace frit {

/// One sentence for each change, naming the nodes: "'bn1' went into 'conv1'".
using PassChanges = std::vector<std::string>;

struct Pass {
  std::string_view name;  ///< "fold_batch_norm"
  std::string_view what;  ///< one line for `frit show passes`
  Result<PassChanges> (*run)(Graph&);
  bool required = false;  ///< planning needs it: it cannot be turned off
  bool once = false;      ///< run before the rounds, not in them
  bool fast = false;      ///< rounds more than `precise` of NUMERICS.md bears: off unless asked for
};

/// In the order of running.
const std::vector<Pass>& all_passes();

struct PassOptions {
  std::set<std::string> off;  ///< names of passes that do not run
  bool fast = false;          ///< --numerics fast: passes that are `fast` run too
};

/// What one pass changed in one round (round 0: before the rounds); never empty.
struct PassReport {
  std::string pass;
  int round = 0;
  PassChanges changes;
};

/// Runs all passes to a fixed point, at most kMostRounds rounds. Afterwards the graph holds only
/// the canonical forms of ops/README.md, static types, and no shape arithmetic. Errors: "pass-name"
/// (unknown, or required and turned off), "onnx-not-constant" and "onnx-too-large" (shape
/// arithmetic that is left), and those of Operator::canonicalise.
inline constexpr int kMostRounds = 8;
Result<std::vector<PassReport>> run_passes(Graph& graph, const PassOptions& options = {});

/// "fold_batch_norm (round 1): 2 changes\n  'bn1' went into 'conv1'\n…"
std::string to_text(const std::vector<PassReport>& reports);

// The passes, one file each. All may be run alone, on a graph that the importer gave.
Result<PassChanges> expand(Graph& graph);
Result<PassChanges> canonicalise(Graph& graph);
Result<PassChanges> fold_constants(Graph& graph);
Result<PassChanges> remove_identities(Graph& graph);
Result<PassChanges> remove_dead_code(Graph& graph);
Result<PassChanges> merge_equal_nodes(Graph& graph);
Result<PassChanges> merge_reshape_transpose(Graph& graph);
Result<PassChanges> recognise_hard_swish(Graph& graph);
Result<PassChanges> recognise_hard_sigmoid(Graph& graph);
Result<PassChanges> recognise_layer_norm(Graph& graph);
Result<PassChanges> recognise_gelu(Graph& graph);
Result<PassChanges> gather_scale(Graph& graph);
Result<PassChanges> fold_batch_norm(Graph& graph);
Result<PassChanges> fold_scale(Graph& graph);
Result<PassChanges> fold_scale_ahead(Graph& graph);
Result<PassChanges> reduce_strength(Graph& graph);
Result<PassChanges> split_wide_concat(Graph& graph);

}  // namespace frit

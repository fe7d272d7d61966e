// Values of a model's inputs, as --input asks: NAME=FILE.npy, NAME=zero, NAME=random:SEED.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "generators/graph/graph.h"
#include "ops/base/result.h"

namespace frit {

/// One tensor for each graph input, in order; inputs that no text names get random:0. Errors:
/// "input-name" (no such input), "input-type" (the file's type is not the graph's), "input-npy",
/// "cli-assignment", "cli-input" (twice, or a seed that is no number).
Result<std::vector<Tensor>> make_inputs(const Graph& graph, const std::vector<std::string>& texts);

/// Only those that the texts name, by input name. The same errors.
Result<std::map<std::string, Tensor>> make_named_inputs(const Graph& graph,
                                                        const std::vector<std::string>& texts);

}  // namespace frit

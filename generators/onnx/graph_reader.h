// GraphProto to Graph: names, constants, order of nodes; no types beyond inputs and constants.
#pragma once

#include <map>
#include <string>

#include "generators/graph/graph.h"
#include "ops/base/result.h"

namespace onnx {
class GraphProto;
}

namespace frit {

class ExternalData;

struct GraphReaderContext {
  ExternalData* external = nullptr;               ///< nullptr: no initializer may be external
  std::map<std::string, int> opsets;              ///< by domain, "" for ONNX's own
  std::map<std::string, TensorType> input_types;  ///< of the top graph's inputs
  std::map<std::string, Tensor> pinned;           ///< inputs of the top graph that become constants
};

/// Nodes are sorted where the file is not, keeping its order otherwise. Bodies of control flow
/// become regions; a body's value of an outer scope has no producer and is listed in
/// Region::captured. Codes: "onnx-topology" (undefined, twice defined, cycles), and those of
/// read_attribute and read_tensor; all faults at once.
tl::expected<Graph, Diagnostics> read_graph(const onnx::GraphProto& proto,
                                            const GraphReaderContext& context);

/// "Conv_12" for an unnamed node at position 12 of its graph, else its own name.
std::string node_name(const std::string& name, const std::string& op_type, int position);

/// "" for "ai.onnx".
std::string normal_domain(const std::string& domain);

}  // namespace frit

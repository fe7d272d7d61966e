// Reads an ONNX model into a Graph whose every value has a static type.
//
// A model file is untrusted: whatever its bytes, the answer is a Graph or Diagnostics, found in
// time and memory that the file's size justifies (a limit on folded tensors, see graph/fold.h).
// Order of work, each step reporting all of its faults at once: parse; opsets; operators; inputs
// and their open dims; initializers, names and topology; types and shape arithmetic.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generators/graph/graph.h"
#include "ops/base/result.h"

namespace frit {

/// The opsets of ONNX's own domain that the importer accepts.
inline constexpr int kOldestOpset = 7;
inline constexpr int kNewestOpset = 28;

struct ImportOptions {
  /// Extents of graph inputs by name: they pin open dims and must agree with fixed ones.
  std::map<std::string, std::vector<std::int64_t>> shapes;
  /// Graph inputs pinned to a value: constants of the Graph, no longer inputs.
  std::map<std::string, Tensor> consts;
};

/// The Graph as the model writes it, but for: Constant nodes are constant values; Sum, Mean, Max
/// and Min of other than two inputs are chains of two; unnamed nodes are called "Conv_12" (12th
/// node), a repeated name gets "#2"; unused optional outputs are dropped. Values known from
/// constants and static shapes carry `constant` beside their producer (pass fold_constants then
/// drops the nodes).
///
/// Codes: onnx-read, onnx-parse, onnx-opset, onnx-unsupported-op, onnx-input, onnx-open-dims,
/// onnx-shape-option, onnx-const-option, onnx-tensor, onnx-dtype, onnx-external-data,
/// onnx-attribute, onnx-topology, onnx-too-large, and those of Operator::infer.
tl::expected<Graph, Diagnostics> import_model(const std::filesystem::path& file,
                                              const ImportOptions& options);

/// The same from bytes. `file` is for messages; external data is looked for in its folder.
tl::expected<Graph, Diagnostics> import_model_bytes(std::string_view bytes,
                                                    const std::filesystem::path& file,
                                                    const ImportOptions& options);

/// The model's metadata_props in order: what else its maker says of it. Needs no shapes.
/// Codes: onnx-read, onnx-parse.
using Metadata = std::vector<std::pair<std::string, std::string>>;
tl::expected<Metadata, Diagnostics> read_metadata(const std::filesystem::path& file);

}  // namespace frit

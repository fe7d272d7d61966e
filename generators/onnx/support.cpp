#include "generators/onnx/support.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "generators/onnx/graph_reader.h"
#include "generators/onnx/import.h"
#include "generators/onnx/names.h"
#include "ops/operator.h"

namespace frit {
namespace {

static_assert(kNewestOpset == kExpansionOpset, "expansions are of the newest opset");

using OpKey = std::pair<std::string, std::string>;  // domain, type

// Nodes by operator, bodies of loops included. Not those of If: one of its branches is never run.
void collect(const onnx::GraphProto& graph, std::map<OpKey, std::vector<std::string>>& nodes) {
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    nodes[{normal_domain(node.domain()), node.op_type()}].push_back(
        node.name().empty() ? fmt::format("#{} (unnamed)", i) : quoted_name(node.name()));
    if (node.op_type() == "If" && normal_domain(node.domain()).empty()) continue;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) collect(attribute.g(), nodes);
      for (const onnx::GraphProto& body : attribute.graphs()) collect(body, nodes);
    }
  }
}

// What the importer itself takes apart, and needs no operator for.
bool is_expanded(const OpKey& op) {
  static constexpr std::array kTypes = {"Constant", "If", "Loop", "Scan"};
  return op.first.empty() && std::find(kTypes.begin(), kTypes.end(), op.second) != kTypes.end();
}

// Operators without any form whose outputs' extents are known when building.
bool has_extents_of_data(const OpKey& op) {
  return op.first.empty() && op.second == "NonMaxSuppression";
}

// Why frit cannot take `op`; empty when it can.
std::string reason(const OpKey& op, int opset) {
  if (is_expanded(op)) return "";
  const Operator* known = find_operator(op.first, op.second);
  if (known == nullptr && has_extents_of_data(op)) {
    return "the extents of its output depend on data, and frit's are fixed when building; end the "
           "model before it";
  }
  if (known == nullptr) return "frit has no such operator (`frit ops` lists those it has)";
  if (opset < known->first_opset()) {
    return fmt::format("frit reads it from opset {} on; convert the model", known->first_opset());
  }
  return "";
}

}  // namespace

std::string unsupported_reason(const std::string& domain, const std::string& type, int opset) {
  return reason({domain, type}, opset);
}

tl::expected<std::map<std::string, int>, Diagnostics> read_opsets(const onnx::ModelProto& model) {
  std::map<std::string, int> opsets;
  for (const onnx::OperatorSetIdProto& import : model.opset_import()) {
    const std::int64_t version = std::clamp<std::int64_t>(import.version(), 0, 1 << 20);
    int& opset = opsets[normal_domain(import.domain())];
    opset = std::max(opset, static_cast<int>(version));
  }
  const auto refuse = [](std::string message) {
    return tl::unexpected(Diagnostics{error("onnx-opset", std::move(message))});
  };
  if (!opsets.contains("")) {
    return refuse(
        "the model names no opset of ONNX's own operators; export it again with an opset "
        "from 7 on");
  }
  const int opset = opsets.at("");
  if (opset < kOldestOpset) {
    return refuse(
        fmt::format("the model's opset {} is older than {}, the oldest that frit reads; "
                    "convert it with onnx.version_converter or export it again",
                    opset, kOldestOpset));
  }
  if (opset > kNewestOpset) {
    return refuse(
        fmt::format("the model's opset {} is newer than {}, the newest that frit knows; "
                    "export it with an older opset",
                    opset, kNewestOpset));
  }
  return opsets;
}

Diagnostics unsupported_operators(const onnx::ModelProto& model,
                                  const std::map<std::string, int>& opsets) {
  std::map<OpKey, std::vector<std::string>> nodes;
  collect(model.graph(), nodes);
  Diagnostics faults;
  for (const auto& [op, names] : nodes) {
    const auto opset = opsets.find(op.first);
    const std::string why = reason(op, opset == opsets.end() ? 0 : opset->second);
    if (why.empty()) continue;
    const std::string domain =
        op.first.empty() ? "" : fmt::format(" of domain {}", quoted_name(op.first));
    const std::string version =
        opset == opsets.end() ? "" : fmt::format(" (opset {})", opset->second);
    faults.push_back(error(
        "onnx-unsupported-op",
        fmt::format("operator {}{}{} is not supported: {}; node{}: {}", quoted_name(op.second),
                    domain, version, why, names.size() == 1 ? "" : "s", listed(names))));
  }
  return faults;
}

}  // namespace frit

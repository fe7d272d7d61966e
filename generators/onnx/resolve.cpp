#include "generators/onnx/resolve.h"

#include <fmt/format.h>

#include <algorithm>

#include "generators/graph/fold.h"
#include "generators/graph/infer.h"
#include "generators/onnx/names.h"
#include "generators/onnx/regions.h"
#include "generators/onnx/support.h"
#include "ops/reference/reference.h"

namespace frit {
namespace {

class Resolver {
 public:
  explicit Resolver(Graph& graph) : graph_(graph) {}

  Diagnostics run() {
    // Regions that are taken apart insert nodes: these settle as they come.
    std::vector<NodeId> ids;
    for (const Node& node : graph_.nodes()) ids.push_back(node.id);
    for (const NodeId id : ids) settle(id);
    return std::move(faults_);
  }

 private:
  bool is_untyped(ValueId value) const {
    return value != kNone && static_cast<std::size_t>(value) < untyped_.size() &&
           untyped_[static_cast<std::size_t>(value)];
  }

  bool reads_untyped(const Node& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](ValueId input) { return is_untyped(input); });
  }

  void give_up(const Node& node) {
    untyped_.resize(static_cast<std::size_t>(graph_.value_count()), false);
    for (const ValueId output : node.outputs) {
      if (output != kNone) untyped_[static_cast<std::size_t>(output)] = true;
    }
  }

  // A name in a message that is not in the file is said to be ours.
  static void name_ours(const Node& node, Diagnostic& fault) {
    if (node.unnamed_at == kNone) return;
    fault.notes.push_back(
        fmt::format("the file gives this node no name; frit calls node #{} of "
                    "its graph {}",
                    node.unnamed_at, quoted_name(node.name)));
  }

  bool told(NodeId id, Diagnostic fault) {
    faults_.push_back(std::move(fault));
    name_ours(graph_.node(id), faults_.back());
    give_up(graph_.node(id));
    return false;
  }

  // Types and known values of a node, or of what stands in its place; false after a fault.
  bool settle(NodeId id) {
    if (reads_untyped(graph_.node(id))) {
      give_up(graph_.node(id));
      return false;
    }
    if (RegionInliner::is_control_flow(graph_.node(id))) {
      const Result<bool> done = regions_.inline_node(id);
      if (!done) return told(id, done.error());
      if (!*done) give_up(graph_.node(id));
      return *done;
    }
    return resolve(id);
  }

  bool resolve(NodeId id) {
    const Node& fresh = graph_.node(id);
    if (const std::string why = unsupported_reason(fresh.domain, fresh.type, fresh.opset);
        !why.empty()) {
      return told(id, error("onnx-unsupported-op",
                            fmt::format("{} (opset {}) is not supported: {}",
                                        node_label(fresh.name, fresh.type, fresh.unnamed_at),
                                        fresh.opset, why)));
    }
    const Status status = infer_node(graph_, id);
    if (!status) return told(id, status.error());
    const Node& node = graph_.node(id);
    const auto values = fold_node(graph_, node, kShapeArithmetic);
    if (!values) return true;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNone) graph_.value(node.outputs[i]).constant = (*values)[i];
    }
    return true;
  }

  Graph& graph_;
  std::vector<bool> untyped_;
  Diagnostics faults_;
  RegionInliner regions_{graph_, [this](NodeId id) { return settle(id); }};
};

}  // namespace

Diagnostics resolve_types(Graph& graph) { return Resolver(graph).run(); }

}  // namespace frit

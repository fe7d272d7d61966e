#include "generators/onnx/resolve.h"

#include <fmt/format.h>

#include <algorithm>

#include "generators/graph/fold.h"
#include "generators/graph/infer.h"
#include "generators/onnx/names.h"
#include "ops/reference/reference.h"

namespace frit {
namespace {

class Resolver {
 public:
  explicit Resolver(Graph& graph) : graph_(graph) {}

  Diagnostics run() {
    for (const Node& node : graph_.nodes()) {
      if (reads_untyped(node)) {
        give_up(node);
      } else {
        resolve(node.id);
      }
    }
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

  void resolve(NodeId id) {
    const Status status = infer_node(graph_, id);
    if (!status) {
      faults_.push_back(status.error());
      name_ours(graph_.node(id), faults_.back());
      give_up(graph_.node(id));
      return;
    }
    const Node& node = graph_.node(id);
    const auto values = fold_node(graph_, node, kShapeArithmetic);
    if (!values) return;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] != kNone) graph_.value(node.outputs[i]).constant = (*values)[i];
    }
  }

  Graph& graph_;
  std::vector<bool> untyped_;
  Diagnostics faults_;
};

}  // namespace

Diagnostics resolve_types(Graph& graph) { return Resolver(graph).run(); }

}  // namespace frit

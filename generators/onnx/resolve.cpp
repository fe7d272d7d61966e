#include "generators/onnx/resolve.h"

#include <fmt/format.h>

#include <algorithm>

#include "generators/graph/fold.h"
#include "generators/graph/infer.h"
#include "generators/onnx/names.h"
#include "ops/reference/reference.h"

namespace frit {
namespace {

// Each input becomes a node: more than any exporter writes would only be a file meant to choke us.
constexpr std::size_t kMostInputs = 1024;

bool is_variadic(const Node& node) {
  if (!node.domain.empty()) return false;
  if (node.type == "Sum" || node.type == "Mean") return true;
  return (node.type == "Max" || node.type == "Min") && node.inputs.size() != 2;
}

// op(op(op(a, b), c), d): each link a node before `id`, which becomes the last one.
class Expansion {
 public:
  Expansion(Graph& graph, NodeId id) : graph_(graph), whole_(graph.node(id)) {}

  Status run() {
    const std::vector<ValueId>& inputs = whole_.inputs;
    if (inputs.empty() || std::count(inputs.begin(), inputs.end(), kNone) > 0 ||
        whole_.outputs.size() != 1) {
      return fail(
          "onnx-attribute",
          fmt::format(
              "node {} ({}) has {} inputs, {} of them left out, and {} outputs but takes one input "
              "or more, none left out, to one output; correct the node",
              quoted_name(whole_.name), whole_.type, inputs.size(),
              std::count(inputs.begin(), inputs.end(), kNone), whole_.outputs.size()));
    }
    if (inputs.size() > kMostInputs) {
      return fail("onnx-too-large",
                  fmt::format("node {} ({}) has {} inputs but frit takes at most {}; split it in "
                              "several",
                              quoted_name(whole_.name), whole_.type, inputs.size(), kMostInputs));
    }
    const bool mean = whole_.type == "Mean";
    const std::string link = mean || whole_.type == "Sum" ? "Add" : whole_.type;
    if (inputs.size() == 1) {
      replace("Identity", {inputs[0]});
      return {};
    }
    ValueId sum = inputs[0];
    const std::size_t links = inputs.size() - (mean ? 0 : 1);
    for (std::size_t i = 1; i < links; ++i) sum = insert(link, {sum, inputs[i]}, i);
    if (!mean) {
      replace(link, {sum, inputs.back()});
      return {};
    }
    Value count;
    count.name = whole_.name + "/count";
    count.constant =
        Tensor::scalar(graph_.value(inputs[0]).type.dtype, static_cast<double>(inputs.size()));
    count.type = count.constant->type();
    replace("Div", {sum, graph_.add_value(std::move(count))});
    return {};
  }

 private:
  Node link_node(const std::string& type, std::vector<ValueId> inputs) const {
    Node node = whole_;
    node.type = type;
    node.inputs = std::move(inputs);
    return node;
  }

  ValueId insert(const std::string& type, std::vector<ValueId> inputs, std::size_t i) {
    Node node = link_node(type, std::move(inputs));
    node.name = fmt::format("{}/{}", whole_.name, i);
    Value value;
    value.name = node.name;
    const ValueId id = graph_.add_value(std::move(value));
    node.outputs = {id};
    graph_.insert_node(std::move(node), whole_.id);
    return id;
  }

  void replace(const std::string& type, std::vector<ValueId> inputs) {
    graph_.node(whole_.id) = link_node(type, std::move(inputs));
  }

  Graph& graph_;
  const Node whole_;
};

class Resolver {
 public:
  explicit Resolver(Graph& graph) : graph_(graph) {}

  Diagnostics run() {
    // Expansion inserts before the node at hand, so the position is looked at again.
    for (std::size_t position = 0; position < graph_.nodes().size();) {
      const NodeId id = graph_.nodes()[position].id;
      if (reads_untyped(graph_.nodes()[position])) {
        give_up(graph_.nodes()[position]);
        ++position;
      } else if (is_variadic(graph_.nodes()[position])) {
        const Status status = Expansion(graph_, id).run();
        if (!status) {
          faults_.push_back(status.error());
          name_ours(graph_.node(id), faults_.back());
          give_up(graph_.node(id));
          ++position;
        }
      } else {
        resolve(id);
        ++position;
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

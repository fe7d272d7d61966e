#include "generators/verify/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace frit {
namespace {

// Evaluates nodes one after the other and frees what no later one reads.
class Evaluation {
 public:
  Evaluation(const Graph& graph, const RefValues& known, RefPrecision precision)
      : graph_(graph), known_(known), precision_(precision) {}

  /// Keeps `id` to the end.
  void keep(ValueId id) { kept_.insert(id); }
  void keep_all() { keep_all_ = true; }

  Status run(const std::vector<const Node*>& nodes) {
    for (const Node* node : nodes) {
      for (const ValueId input : node->inputs) {
        if (input != kNone) ++readers_[input];
      }
    }
    for (const Node* node : nodes) {
      FRIT_TRY(step(*node));
      for (const ValueId input : node->inputs) {
        if (input != kNone && --readers_[input] == 0) release(input);
      }
    }
    return {};
  }

  /// The value, wherever it lives; nullptr when nothing made it.
  const RefTensor* find(ValueId id) {
    if (const auto made = made_.find(id); made != made_.end()) return &made->second;
    if (const auto given = known_.find(id); given != known_.end()) return &given->second;
    if (!graph_.value(id).constant) return nullptr;
    return &made_.emplace(id, RefTensor::from(*graph_.value(id).constant)).first->second;
  }

  RefValues take() { return std::move(made_); }

 private:
  Status step(const Node& node) {
    if (!node.regions.empty()) {
      return fail("ref-unsupported", fmt::format("node `{}` ({}) holds a body graph; the reference "
                                                 "evaluates plain nodes only",
                                                 node.name, node.type));
    }
    std::vector<const RefTensor*> inputs;
    for (const ValueId input : node.inputs) {
      inputs.push_back(input == kNone ? nullptr : find(input));
      if (input != kNone && inputs.back() == nullptr) {
        return fail("verify-no-input",
                    fmt::format("node `{}` ({}) reads `{}`, which has no value; please report it",
                                node.name, node.type, graph_.value(input).name));
      }
    }
    OpInstance op;
    op.domain = node.domain;
    op.type = node.type;
    op.name = node.name;
    op.opset = node.opset;
    op.attributes = node.attributes;
    op.outputs.resize(node.outputs.size());
    Result<std::vector<RefTensor>> outputs = evaluate_reference(op, inputs, precision_);
    if (!outputs) return fail(outputs.error());
    return store(node, std::move(*outputs));
  }

  Status store(const Node& node, std::vector<RefTensor> outputs) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId id = node.outputs[i];
      if (id == kNone) continue;
      if (i >= outputs.size()) {
        return fail("ref-unsupported",
                    fmt::format("node `{}` ({}): the reference makes {} outputs but the graph "
                                "reads number {}; the model can be built but not verified",
                                node.name, node.type, outputs.size(), i));
      }
      const TensorType found(outputs[i].dtype, outputs[i].dims);
      if (found != graph_.value(id).type) {
        return fail("ref-type",
                    fmt::format("`{}`, made by node `{}` ({}): the reference gives {} but shape "
                                "inference {}; one of the two is wrong",
                                graph_.value(id).name, node.name, node.type, to_text(found),
                                to_text(graph_.value(id).type)));
      }
      made_[id] = std::move(outputs[i]);
      if (readers_[id] == 0) release(id);
    }
    return {};
  }

  void release(ValueId id) {
    const bool constant = graph_.value(id).constant.has_value();
    if (kept_.contains(id) || (keep_all_ && !constant)) return;
    made_.erase(id);
  }

  const Graph& graph_;
  const RefValues& known_;
  RefPrecision precision_;
  RefValues made_;
  std::map<ValueId, int> readers_;
  std::set<ValueId> kept_;
  bool keep_all_ = false;
};

Status check_inputs(const Graph& graph, const RefValues& inputs) {
  for (const ValueId id : graph.inputs) {
    const Value& value = graph.value(id);
    const auto given = inputs.find(id);
    if (given == inputs.end()) {
      return fail("verify-no-input",
                  fmt::format("graph input `{}` has no value; give it with --input", value.name));
    }
    const TensorType type(given->second.dtype, given->second.dims);
    if (type != value.type) {
      return fail("verify-no-input",
                  fmt::format("graph input `{}` is {} but the value given is {}; convert the value",
                              value.name, to_text(value.type), to_text(type)));
    }
  }
  return {};
}

// The wanted values in `made`, or copied from where they are (inputs, constants).
Result<RefValues> collected(const Graph& graph, Evaluation& evaluation,
                            const std::vector<ValueId>& wanted) {
  RefValues result;
  for (const ValueId id : wanted) {
    const RefTensor* tensor = evaluation.find(id);
    if (tensor == nullptr) {
      return fail("verify-no-input",
                  fmt::format("nothing makes `{}`; please report it", graph.value(id).name));
    }
    result.emplace(id, *tensor);
  }
  return result;
}

}  // namespace

Result<RefValues> evaluate_graph(const Graph& graph, const RefValues& inputs,
                                 RefPrecision precision, Keep keep) {
  FRIT_TRY(check_inputs(graph, inputs));
  Evaluation evaluation(graph, inputs, precision);
  std::vector<const Node*> nodes;
  for (const Node& node : graph.nodes()) nodes.push_back(&node);
  for (const ValueId output : graph.outputs) evaluation.keep(output);
  if (keep == Keep::kAll) evaluation.keep_all();
  FRIT_TRY(evaluation.run(nodes));
  Result<RefValues> outputs = collected(graph, evaluation, graph.outputs);
  if (!outputs || keep == Keep::kOutputs) return outputs;
  RefValues all = evaluation.take();
  all.insert(outputs->begin(), outputs->end());
  all.insert(inputs.begin(), inputs.end());
  return all;
}

Result<RefValues> evaluate_nodes(const Graph& graph, const std::vector<NodeId>& nodes,
                                 const RefValues& known, const std::vector<ValueId>& wanted,
                                 RefPrecision precision) {
  Evaluation evaluation(graph, known, precision);
  std::vector<const Node*> chosen;
  for (const NodeId id : nodes) chosen.push_back(&graph.node(id));
  for (const ValueId id : wanted) evaluation.keep(id);
  FRIT_TRY(evaluation.run(chosen));
  return collected(graph, evaluation, wanted);
}

}  // namespace frit

// insert_layouts of planner.h: copies where the caller's order and a kernel's differ.
#include <algorithm>
#include <functional>
#include <set>

#include "generators/fusion/layout.h"
#include "generators/fusion/order.h"
#include "generators/fusion/planner.h"
#include "ops/view.h"

namespace frit {
namespace {

class LayoutInserter {
 public:
  explicit LayoutInserter(Graph& graph) : graph_(graph) {
    for (ValueId v = 0; v < graph_.value_count(); ++v) names_.insert(graph_.value(v).name);
  }

  void run() {
    separate_outputs();
    free_outputs();
    convert_anchor_inputs();
  }

 private:
  std::string fresh_name(const std::string& base) {
    std::string name = base + "/layout";
    for (int i = 2; !names_.insert(name).second; ++i) name = base + "/layout" + std::to_string(i);
    return name;
  }

  ValueId like(ValueId value) {
    Value copy;
    copy.name = fresh_name(graph_.value(value).name);
    copy.type = graph_.value(value).type;
    return graph_.add_value(std::move(copy));
  }

  Node identity(ValueId from, ValueId to, const std::string& order, const std::string& name) {
    Node node;
    node.type = "Identity";
    node.name = name;
    node.opset = opset();
    node.attributes["frit_layout"] = order;
    node.inputs = {from};
    node.outputs = {to};
    return node;
  }

  int opset() const {
    for (const Node& node : graph_.nodes()) {
      if (node.domain.empty()) return node.opset;
    }
    return 13;
  }

  /// Outputs that are inputs, constants or repeated get a buffer and a copy of their own.
  void separate_outputs() {
    for (std::size_t i = graph_.output_names.size(); i < graph_.outputs.size(); ++i) {
      graph_.output_names.push_back(graph_.value(graph_.outputs[i]).name);
    }
    std::set<ValueId> seen;
    for (ValueId& output : graph_.outputs) {
      const bool given = graph_.value(output).producer == kNone;
      const bool first = seen.insert(output).second;
      if (first && !given) continue;
      const ValueId from = output;
      output = like(from);
      const std::string node_name = graph_.value(output).name;
      // The caller knows the output by the model's name; nobody asks for a constant by its.
      if (first && graph_.value(from).constant) {
        std::swap(graph_.value(from).name, graph_.value(output).name);
      }
      graph_.add_node(identity(from, output, "dense", node_name));
    }
  }

  /// Outputs that would lie otherwise inside, or are one of several views, are copied out.
  void free_outputs() {
    const auto facts = GraphFacts::of(graph_);
    if (!facts) return;  // make_plan will say what is wrong
    const std::vector<Storage> wishes = natural_orders(*facts, false);
    std::vector<ValueId> convert;
    for (const ValueId output : graph_.outputs) {
      const int maker = facts->producer(output);
      if (maker < 0 || facts->at(maker).layout) continue;
      const std::vector<std::int64_t> dims = graph_.value(output).type.dims();
      const Storage dense = dense_storage(static_cast<int>(dims.size()));
      const bool agrees =
          same_elements(dims, strides_of(wishes[static_cast<std::size_t>(output)], dims),
                        strides_of(dense, dims));
      const NodeFacts& node = facts->at(maker);
      const bool several = node.kind == OpKind::kInjective && node.node->outputs.size() > 1;
      const bool injective = node.kind == OpKind::kInjective && !several;
      if (several || (!agrees && !injective)) convert.push_back(output);
    }
    for (const ValueId output : convert) copy_out(output);
  }

  void copy_out(ValueId output) {
    const ValueId inner = like(output);
    Node& maker = graph_.node(graph_.value(output).producer);
    std::replace(maker.outputs.begin(), maker.outputs.end(), output, inner);
    graph_.value(inner).producer = maker.id;
    graph_.value(output).producer = kNone;
    const std::vector<ValueId> outputs = graph_.outputs;
    graph_.replace_uses(output, inner);
    graph_.outputs = outputs;
    graph_.add_node(identity(inner, output, "dense", graph_.value(inner).name));
  }

  /// Convolutions that read each element several times read it channels-last, with its border.
  void convert_anchor_inputs() {
    const auto facts = GraphFacts::of(graph_);
    if (!facts) return;
    const Layout layout = choose_layout(*facts);
    struct Conversion {
      ValueId value;
      std::vector<NodeId> readers;
    };
    std::vector<Conversion> conversions;
    for (ValueId v = 0; v < graph_.value_count(); ++v) {
      Conversion conversion{v, {}};
      for (const int user : facts->users(v)) {
        if (wants_copy(*facts, layout, v, user)) {
          conversion.readers.push_back(facts->at(user).node->id);
        }
      }
      if (!conversion.readers.empty()) conversions.push_back(std::move(conversion));
    }
    for (const Conversion& conversion : conversions) {
      const ValueId inner = like(conversion.value);
      graph_.insert_node(
          identity(conversion.value, inner, "channels_last", graph_.value(inner).name),
          conversion.readers[0]);
      for (const NodeId reader : conversion.readers) {
        graph_.node(reader).inputs[0] = inner;
      }
    }
  }

  bool wants_copy(const GraphFacts& facts, const Layout& layout, ValueId v, int user) const {
    const NodeFacts& reader = facts.at(user);
    if (!reader.channels || reader.node->inputs[0] != v || graph_.value(v).constant) return false;
    if (graph_.value(v).type.elements() == 0) return false;
    if (reader.counts.flop < 2 * graph_.value(v).type.elements()) return false;
    const Storage& storage = layout.storage[static_cast<std::size_t>(v)];
    const bool callers = facts.producer(v) < 0 || graph_.is_output(v);
    const bool view = storage.is_view() && layout.views.count(graph_.value(v).producer) > 0;
    if (!callers && !view) return false;
    const Operator::Reach reach = reader.rule->reach(reader.op, 0);
    for (const auto* border : {&reach.low, &reach.high}) {
      if (std::any_of(border->begin(), border->end(), [](std::int64_t n) { return n > 0; })) {
        return true;
      }
    }
    const std::vector<std::int64_t> dims = graph_.value(v).type.dims();
    return dims[1] > 1 && strides_of(storage, dims)[1] != 1;
  }

  Graph& graph_;
  std::set<std::string> names_;
};

}  // namespace

void insert_layouts(Graph& graph) { LayoutInserter(graph).run(); }

}  // namespace frit

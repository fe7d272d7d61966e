#include "generators/onnx/graph_reader.h"

#include <fmt/format.h>
#include <onnx.pb.h>

#include <algorithm>
#include <queue>
#include <set>
#include <unordered_map>

#include "generators/onnx/attribute_reader.h"
#include "generators/onnx/dtypes.h"
#include "generators/onnx/external_data.h"
#include "generators/onnx/names.h"
#include "generators/onnx/tensor_reader.h"
#include "ops/attributes.h"

namespace frit {
namespace {

// Names that the nodes of `graph`, at any depth, read.
void collect_reads(const onnx::GraphProto& graph, std::set<std::string>& reads) {
  for (const onnx::NodeProto& node : graph.node()) {
    reads.insert(node.input().begin(), node.input().end());
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) collect_reads(attribute.g(), reads);
    }
  }
  for (const onnx::ValueInfoProto& output : graph.output()) reads.insert(output.name());
}

// The type of a body's input as far as its file says it.
TensorType declared_type(const onnx::ValueInfoProto& info) {
  TensorType type;
  type.dtype = dtype_of_onnx(info.type().tensor_type().elem_type()).value_or(DType::kF32);
  for (const auto& dim : info.type().tensor_type().shape().dim()) {
    type.shape.emplace_back(std::max<std::int64_t>(dim.dim_value(), 0));
  }
  return type;
}

class Reader {
 public:
  Reader(const onnx::GraphProto& proto, const GraphReaderContext& context, Reader* outer,
         Diagnostics& faults)
      : proto_(proto), context_(context), outer_(outer), faults_(faults) {}

  Graph read() {
    graph_.name = proto_.name();
    read_initializers();
    read_inputs();
    name_nodes();
    for (const int position : sorted()) read_node(position);
    for (const onnx::ValueInfoProto& output : proto_.output()) {
      const ValueId value = find(output.name());
      if (value == kNone) {
        if (writers_.contains(output.name())) continue;  // by a node told of before: of a cycle
        fault(
            "onnx-topology",
            fmt::format(
                "graph output {} is written by no node; correct its name or export the model again",
                quoted_name(output.name())));
      } else {
        graph_.outputs.push_back(value);
      }
    }
    return std::move(graph_);
  }

  /// Outer values read by this graph, in the order of their first use, and what stands for them.
  std::vector<ValueId> captured, stand_ins;

 private:
  void fault(std::string code, std::string message) {
    faults_.push_back(error(std::move(code), std::move(message)));
  }

  // A value with that name; kNone when there is one already. `by` defines it, for the fault; empty:
  // find_writers has told of it.
  ValueId define(const std::string& name, Value value, const std::string& by = {}) {
    if (values_.contains(name)) {
      if (!by.empty()) {
        fault("onnx-topology",
              fmt::format("value {} is defined twice, the second time by {}; rename one of them",
                          quoted_name(name), by));
      }
      return kNone;
    }
    value.name = name;
    const ValueId id = graph_.add_value(std::move(value));
    values_.emplace(name, id);
    return id;
  }

  void define_constant(const std::string& name, Result<Tensor> tensor, const std::string& by = {}) {
    Value value;
    if (tensor) {
      value.type = tensor->type();
      value.constant = std::move(*tensor);
    } else {
      faults_.push_back(std::move(tensor).error());
    }
    define(name, std::move(value), by);
  }

  void read_initializers() {
    for (const onnx::TensorProto& tensor : proto_.initializer()) {
      const std::string what = "initializer " + quoted_name(tensor.name());
      define_constant(tensor.name(), read_tensor(tensor, what, context_.external), what);
    }
    for (const onnx::SparseTensorProto& tensor : proto_.sparse_initializer()) {
      const std::string& name = tensor.values().name();
      const std::string what = "sparse initializer " + quoted_name(name);
      define_constant(name, read_sparse_tensor(tensor, what, context_.external), what);
    }
  }

  // Old models list initializers among the inputs: those are no inputs to us.
  void read_inputs() {
    std::set<std::string> seen;
    for (const onnx::ValueInfoProto& input : proto_.input()) {
      if (!seen.insert(input.name()).second) {
        fault("onnx-topology",
              fmt::format("graph input {} is listed twice; remove one", quoted_name(input.name())));
        continue;
      }
      if (values_.contains(input.name())) continue;
      Value value;
      const auto pinned = context_.pinned.find(input.name());
      const auto type = context_.input_types.find(input.name());
      if (outer_ == nullptr && pinned != context_.pinned.end()) {
        value.type = pinned->second.type();
        value.constant = pinned->second;
        define(input.name(), std::move(value), "--const");
        continue;
      }
      value.type = outer_ == nullptr && type != context_.input_types.end() ? type->second
                                                                           : declared_type(input);
      graph_.inputs.push_back(define(input.name(), std::move(value), "a graph input"));
    }
  }

  void name_nodes() {
    UniqueNames unique;
    for (int i = 0; i < proto_.node_size(); ++i) {
      names_.push_back(unique.take(node_name(proto_.node(i).name(), proto_.node(i).op_type(), i)));
    }
  }

  const std::string& name_at(int position) const {
    return names_[static_cast<std::size_t>(position)];
  }

  // For messages.
  std::string label_at(int position) const {
    const onnx::NodeProto& node = proto_.node(position);
    return node_label(node.name().empty() ? "" : name_at(position), node.op_type(), position);
  }

  // Which node writes each name. Nodes that define a name again are left out of `sorted`.
  void find_writers() {
    for (int i = 0; i < proto_.node_size(); ++i) {
      for (const std::string& output : proto_.node(i).output()) {
        if (output.empty()) continue;
        const auto [known, fresh] = writers_.emplace(output, i);
        if (!fresh) {
          fault("onnx-topology",
                fmt::format("value {} is written by {} and by {}; rename one of them",
                            quoted_name(output), label_at(known->second), label_at(i)));
        } else if (values_.contains(output)) {
          fault("onnx-topology", fmt::format("value {} is a graph input or initializer and is "
                                             "written by {} too; rename one of them",
                                             quoted_name(output), label_at(i)));
        }
      }
    }
  }

  // Positions of the nodes that node i waits for; faults for what nobody defines.
  std::set<int> waits_for(int i) {
    const onnx::NodeProto& node = proto_.node(i);
    std::set<std::string> reads(node.input().begin(), node.input().end());
    std::set<std::string> inner;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) collect_reads(attribute.g(), inner);
    }
    std::set<int> result;
    for (const std::string& read : reads) {
      if (read.empty()) continue;
      if (const auto writer = writers_.find(read); writer != writers_.end()) {
        result.insert(writer->second);
      } else if (!values_.contains(read) && (outer_ == nullptr || !outer_->knows(read))) {
        fault("onnx-topology",
              fmt::format("{} reads {}, which nothing defines; correct its name or "
                          "export the model again",
                          label_at(i), quoted_name(read)));
      }
    }
    for (const std::string& read : inner) {
      if (const auto writer = writers_.find(read);
          writer != writers_.end() && writer->second != i) {
        result.insert(writer->second);
      }
    }
    return result;
  }

  // Kahn's algorithm, the lowest position first, so that a sorted file keeps its order.
  std::vector<int> sorted() {
    find_writers();
    const int count = proto_.node_size();
    std::vector<std::vector<int>> readers(static_cast<std::size_t>(count));
    std::vector<int> waiting(static_cast<std::size_t>(count), 0);
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int i = 0; i < count; ++i) {
      const std::set<int> waits = waits_for(i);
      waiting[static_cast<std::size_t>(i)] = static_cast<int>(waits.size());
      for (const int writer : waits) readers[static_cast<std::size_t>(writer)].push_back(i);
      if (waits.empty()) ready.push(i);
    }
    std::vector<int> order;
    while (!ready.empty()) {
      const int i = ready.top();
      ready.pop();
      order.push_back(i);
      for (const int reader : readers[static_cast<std::size_t>(i)]) {
        if (--waiting[static_cast<std::size_t>(reader)] == 0) ready.push(reader);
      }
    }
    if (static_cast<int>(order.size()) < count) fault_cycle(waiting);
    return order;
  }

  void fault_cycle(const std::vector<int>& waiting) {
    std::vector<std::string> names;
    for (int i = 0; i < proto_.node_size(); ++i) {
      if (waiting[static_cast<std::size_t>(i)] > 0) names.push_back(label_at(i));
    }
    fault("onnx-topology", fmt::format("the graph has a cycle: {} wait for one another; cut it, a "
                                       "loop is written with Loop or Scan",
                                       listed(names)));
  }

  bool knows(const std::string& name) const {
    return values_.contains(name) || writers_.contains(name) ||
           (outer_ != nullptr && outer_->knows(name));
  }

  // The value of that name here, or a value that stands for the outer one.
  ValueId find(const std::string& name) {
    if (const auto known = values_.find(name); known != values_.end()) return known->second;
    if (outer_ == nullptr) return kNone;
    const ValueId outer_id = outer_->find(name);
    if (outer_id == kNone) return kNone;
    Value value = outer_->graph_.value(outer_id);
    value.producer = kNone;
    captured.push_back(outer_id);
    stand_ins.push_back(define(name, std::move(value), "an outer graph"));
    return stand_ins.back();
  }

  void read_node(int position) {
    const onnx::NodeProto& proto = proto_.node(position);
    Node node;
    node.domain = normal_domain(proto.domain());
    node.type = proto.op_type();
    node.name = name_at(position);
    node.origins = {node.name};
    if (node.domain.empty() && node.type == "Constant" && proto.output_size() == 1) {
      define_constant(proto.output(0), read_constant(proto, label_at(position)));
      return;
    }
    const auto opset = context_.opsets.find(node.domain);
    node.opset = opset == context_.opsets.end() ? 0 : opset->second;
    if (proto.name().empty()) node.unnamed_at = position;
    read_attributes(proto, label_at(position), node);
    for (const std::string& input : proto.input()) {
      node.inputs.push_back(input.empty() ? kNone : find(input));
    }
    while (!node.inputs.empty() && node.inputs.back() == kNone) node.inputs.pop_back();
    for (const std::string& output : proto.output()) {
      node.outputs.push_back(output.empty() ? kNone : define(output, {}));
    }
    graph_.add_node(std::move(node));
  }

  void read_attributes(const onnx::NodeProto& proto, const std::string& label, Node& node) {
    std::set<std::string> unread;  // told of already: they are not missing too
    for (const onnx::AttributeProto& attribute : proto.attribute()) {
      if (attribute.type() == onnx::AttributeProto::GRAPH &&
          known_attributes(node.domain, node.type) == nullptr) {  // control flow
        node.regions.push_back(read_region(attribute));
        continue;
      }
      if (node.attributes.contains(attribute.name())) {
        fault("onnx-attribute", fmt::format("{}: attribute {} is given twice; keep one", label,
                                            quoted_name(attribute.name())));
        continue;
      }
      Result<Attribute> value = read_attribute(attribute, label);
      if (!value) {
        unread.insert(attribute.name());
        faults_.push_back(std::move(value).error());
        continue;
      }
      if (const auto why = attribute_fault(node.domain, node.type, attribute.name(), *value)) {
        fault("onnx-attribute",
              fmt::format("{}: attribute {} {}", label, quoted_name(attribute.name()), *why));
      }
      node.attributes.emplace(attribute.name(), std::move(*value));
    }
    for (const MissingAttribute& missing :
         missing_attributes(node.domain, node.type, node.opset, node.attributes)) {
      if (unread.contains(missing.name)) continue;
      fault("onnx-attribute", fmt::format("{}: {}", label, missing.fault));
    }
  }

  Region read_region(const onnx::AttributeProto& attribute) {
    Reader body(attribute.g(), context_, this, faults_);
    Region region;
    region.attribute = attribute.name();
    region.body = std::make_shared<Graph>(body.read());
    region.captured = std::move(body.captured);
    region.stand_ins = std::move(body.stand_ins);
    return region;
  }

  const onnx::GraphProto& proto_;
  const GraphReaderContext& context_;
  Reader* outer_;
  Diagnostics& faults_;
  Graph graph_;
  std::unordered_map<std::string, ValueId> values_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, int> writers_;
};

}  // namespace

std::string node_name(const std::string& name, const std::string& op_type, int position) {
  return name.empty() ? fmt::format("{}_{}", op_type, position) : name;
}

std::string normal_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

tl::expected<Graph, Diagnostics> read_graph(const onnx::GraphProto& proto,
                                            const GraphReaderContext& context) {
  Diagnostics faults;
  Graph graph = Reader(proto, context, nullptr, faults).read();
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  graph.check();
  return graph;
}

}  // namespace frit

#include "generators/onnx/regions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "generators/onnx/names.h"
#include "ops/expansion.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ids = std::vector<ValueId>;
using Ints = std::vector<std::int64_t>;

std::string label_of(const Node& node) {
  return fmt::format("{} {}", node.type, quoted_name(node.name));
}

const Region* region_of(const Node& node, std::string_view attribute) {
  for (const Region& region : node.regions) {
    if (region.attribute == attribute) return &region;
  }
  return nullptr;
}

/// Its one element, where that is known.
std::optional<std::int64_t> known_scalar(const Graph& graph, ValueId id) {
  if (id == kNone) return std::nullopt;
  const std::optional<Tensor>& value = graph.value(id).constant;
  if (!value || value->elements() != 1) return std::nullopt;
  return value->to_ints().at(0);
}

}  // namespace

bool RegionInliner::is_control_flow(const Node& node) {
  return node.domain.empty() && (node.type == "If" || node.type == "Loop" || node.type == "Scan");
}

/// Writes what stands in the place of one control-flow node, before it.
class RegionInliner::Trip {
 public:
  Trip(RegionInliner& all, NodeId id) : all_(all), graph_(all.graph_), node_(graph_.node(id)) {}

  Result<bool> run() {
    Result<Ids> results = node_.type == "If" ? branch() : node_.type == "Loop" ? loop() : scan();
    if (!results) return fail(results.error());
    if (!settled_) return false;
    if (results->size() < node_.outputs.size()) {
      return fault("onnx-attribute", fmt::format("has {} outputs but its body gives {}",
                                                 node_.outputs.size(), results->size()));
    }
    finish(*results);
    return true;
  }

 private:
  tl::unexpected<Diagnostic> fault(const char* code, const std::string& what) const {
    return fail(code, fmt::format("{} {}; correct the model", label_of(node_), what));
  }

  tl::unexpected<Diagnostic> unknown(const std::string& what) const {
    return fail(
        "onnx-control-flow",
        fmt::format("{}: {} is computed at run time, but frit takes control flow apart when "
                    "building; pin what it depends on with --const, or export the model "
                    "without it",
                    label_of(node_), what));
  }

  Result<Ids> branch() {
    if (node_.inputs.size() != 1) return fault("onnx-type", "takes one input, its condition");
    const auto condition = known_scalar(graph_, node_.inputs[0]);
    if (!condition) return unknown("its condition");
    const char* attribute = *condition != 0 ? "then_branch" : "else_branch";
    return body(attribute, {}, std::string(*condition != 0 ? "then" : "else"));
  }

  Result<Ids> loop() {
    const std::size_t carried = node_.inputs.size() < 2 ? 0 : node_.inputs.size() - 2;
    const ValueId given = node_.inputs.empty() ? kNone : node_.inputs[0];
    const auto trips = known_scalar(graph_, given);
    if (given != kNone && !trips) return unknown("the number of its trips");
    ValueId condition = node_.inputs.size() > 1 ? node_.inputs[1] : kNone;
    if (condition == kNone) condition = constant(Tensor::scalar(DType::kBool, 1.0), "condition");
    Ids state(node_.inputs.begin() + std::min<std::ptrdiff_t>(2, std::ssize(node_.inputs)),
              node_.inputs.end());
    std::vector<Ids> scanned;
    for (std::int64_t i = 0; !trips || i < *trips; ++i) {
      const auto goes_on = known_scalar(graph_, condition);
      if (!goes_on) return unknown("the condition of trip " + std::to_string(i));
      if (*goes_on == 0) break;
      Ids arguments = {
          constant(Tensor::scalar(DType::kI64, static_cast<double>(i)), fmt::format("{}/trip", i)),
          condition};
      arguments.insert(arguments.end(), state.begin(), state.end());
      Result<Ids> results = body("body", arguments, std::to_string(i));
      if (!results || !settled_) return results;
      if (results->size() < 1 + carried) {
        return fault("onnx-attribute",
                     fmt::format("carries {} values but its body gives {} outputs", carried,
                                 results->size()));
      }
      condition = results->at(0);
      const auto middle = results->begin() + 1 + static_cast<std::ptrdiff_t>(carried);
      state.assign(results->begin() + 1, middle);
      scanned.emplace_back(middle, results->end());
    }
    return joined(std::move(state), scanned, carried, {}, {});
  }

  /// Opset 9 on: before, Scan had a batch axis and other inputs.
  Result<Ids> scan() {
    if (node_.opset < 9) {
      return fail("onnx-control-flow",
                  fmt::format("{} is of opset {}, whose Scan frit does not read; convert the model "
                              "to opset 9 or newer",
                              label_of(node_), node_.opset));
    }
    const auto count = int_attribute(node_.attributes, "num_scan_inputs", 0);
    if (count < 1 || count > std::ssize(node_.inputs)) {
      return fault("onnx-attribute", fmt::format("has {} inputs but num_scan_inputs is {}",
                                                 node_.inputs.size(), count));
    }
    const auto carried = node_.inputs.size() - static_cast<std::size_t>(count);
    Ids state(node_.inputs.begin(), node_.inputs.begin() + std::ssize(node_.inputs) - count);
    const Ids sequences(node_.inputs.begin() + static_cast<std::ptrdiff_t>(carried),
                        node_.inputs.end());
    auto axes = axes_of(sequences);
    if (!axes) return fail(axes.error());
    const std::int64_t length =
        graph_.value(sequences[0]).type.dims()[static_cast<std::size_t>(axes->at(0))];
    if (length > std::int64_t{kMostUnrolled}) return too_many();
    const Ints backwards = ints_attribute(node_.attributes, "scan_input_directions", {});
    std::vector<Ids> scanned;
    for (std::int64_t t = 0; t < length; ++t) {
      Ids arguments = state;
      for (std::size_t i = 0; i < sequences.size(); ++i) {
        const bool back = i < backwards.size() && backwards[i] != 0;
        arguments.push_back(element(sequences[i], axes->at(i), back ? length - 1 - t : t,
                                    fmt::format("{}/in{}", t, i)));
        if (!settled_) return Ids{};
      }
      Result<Ids> results = body("body", arguments, std::to_string(t));
      if (!results || !settled_) return results;
      if (results->size() < carried) {
        return fault("onnx-attribute",
                     fmt::format("carries {} values but its body gives {} outputs", carried,
                                 results->size()));
      }
      const auto middle = results->begin() + static_cast<std::ptrdiff_t>(carried);
      state.assign(results->begin(), middle);
      scanned.emplace_back(middle, results->end());
    }
    return joined(std::move(state), scanned, carried,
                  ints_attribute(node_.attributes, "scan_output_axes", {}),
                  ints_attribute(node_.attributes, "scan_output_directions", {}));
  }

  /// The axis of each sequence that is scanned, all of one extent.
  Result<Ints> axes_of(const Ids& sequences) const {
    const Ints stated = ints_attribute(node_.attributes, "scan_input_axes", {});
    Ints axes;
    std::optional<std::int64_t> length;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      if (sequences[i] == kNone) return fault("onnx-type", "leaves an input out");
      const TensorType& type = graph_.value(sequences[i]).type;
      const auto axis = normal_axis(i < stated.size() ? stated[i] : 0, type.rank());
      if (!axis) {
        return fault(
            "onnx-attribute",
            fmt::format("scans axis {} of {}", i < stated.size() ? stated[i] : 0, to_text(type)));
      }
      const std::int64_t extent = type.dims()[static_cast<std::size_t>(*axis)];
      if (length && *length != extent) {
        return fault("onnx-shape",
                     fmt::format("scans sequences of {} and of {} elements", *length, extent));
      }
      length = extent;
      axes.push_back(*axis);
    }
    return axes;
  }

  tl::unexpected<Diagnostic> too_many() const {
    return fail(
        "onnx-too-large",
        fmt::format("{} becomes more than {} nodes and trips, the most that frit takes apart "
                    "for a model; export it with fewer trips",
                    label_of(node_), kMostUnrolled));
  }

  /// The nodes of a region for these arguments: what it gives.
  Result<Ids> body(const char* attribute, const Ids& arguments, const std::string& place) {
    const Region* region = region_of(node_, attribute);
    if (region == nullptr) return fault("onnx-attribute", fmt::format("has no {}", attribute));
    const Graph& from = *region->body;
    if (from.inputs.size() != arguments.size()) {
      return fault("onnx-attribute", fmt::format("gives its {} {} values but it takes {}",
                                                 attribute, arguments.size(), from.inputs.size()));
    }
    if (++all_.unrolled_ > kMostUnrolled) return too_many();  // a trip without nodes costs too
    const std::string prefix = fmt::format("{}/{}/", node_.name, place);
    std::map<ValueId, ValueId> here;
    for (std::size_t i = 0; i < arguments.size(); ++i) here[from.inputs[i]] = arguments[i];
    for (std::size_t i = 0; i < region->captured.size(); ++i)
      here[region->stand_ins[i]] = region->captured[i];
    const auto read = [&](ValueId inner) {
      if (inner == kNone) return kNone;
      const auto [known, fresh] = here.emplace(inner, kNone);
      if (fresh) known->second = copy(from.value(inner), prefix);
      return known->second;
    };
    for (const Node& inner : from.nodes()) {
      Node node = inner;
      node.name = prefix + inner.name;
      node.origins = node_.origins;
      for (ValueId& input : node.inputs) input = read(input);
      for (Region& nested : node.regions) {
        for (ValueId& outer : nested.captured) outer = read(outer);
      }
      for (ValueId& output : node.outputs) output = read(output);
      if (all_.unrolled_ >= kMostUnrolled) return too_many();
      insert(std::move(node));
      if (!settled_) return Ids{};
    }
    Ids results;
    for (const ValueId output : from.outputs) results.push_back(read(output));
    return results;
  }

  ValueId copy(Value value, const std::string& prefix) {
    value.name = prefix + value.name;
    value.producer = kNone;
    return graph_.add_value(std::move(value));
  }

  ValueId constant(Tensor tensor, const std::string& place) {
    Value value;
    value.name = fmt::format("{}/{}", node_.name, place);
    value.type = tensor.type();
    value.constant = std::move(tensor);
    return graph_.add_value(std::move(value));
  }

  /// Before the control-flow node, settled.
  void insert(Node node) {
    ++all_.unrolled_;
    const NodeId id = graph_.insert_node(std::move(node), node_.id);
    settled_ = all_.settle_(id);
  }

  ValueId operation(const char* type, const Ids& inputs, AttributeMap attributes,
                    const std::string& place) {
    Node node;
    node.type = type;
    node.name = fmt::format("{}/{}/{}", node_.name, place, type);
    node.opset = kExpansionOpset;
    node.attributes = std::move(attributes);
    node.inputs = inputs;
    node.origins = node_.origins;
    Value value;
    value.name = fmt::format("{}/{}", node_.name, place);
    const ValueId result = graph_.add_value(std::move(value));
    node.outputs = {result};
    insert(std::move(node));
    return result;
  }

  ValueId element(ValueId sequence, std::int64_t axis, std::int64_t t, const std::string& place) {
    const ValueId at = constant(Tensor::scalar(DType::kI64, static_cast<double>(t)), place + "/at");
    return operation("Gather", {sequence, at}, {{"axis", axis}}, place);
  }

  /// The carried values, then each scanned output of all trips along its axis.
  Result<Ids> joined(Ids state, const std::vector<Ids>& scanned, std::size_t carried,
                     const Ints& axes, const Ints& backwards) {
    const std::size_t wanted = node_.outputs.size() < carried ? 0 : node_.outputs.size() - carried;
    if (scanned.empty() && wanted > 0) {
      return fault("onnx-shape",
                   "makes no trip, so that the extents of its scanned outputs are "
                   "unknown");
    }
    for (std::size_t i = 0; i < wanted && i < scanned[0].size(); ++i) {
      const std::int64_t axis = i < axes.size() ? axes[i] : 0;
      const ValueId place = constant(Tensor::i64({1}, {axis}), fmt::format("scan{}/axis", i));
      Ids parts;
      for (std::size_t t = 0; t < scanned.size(); ++t) {
        if (i >= scanned[t].size() || scanned[t][i] == kNone)
          return fault("onnx-attribute", "leaves a scanned output out");
        parts.push_back(
            operation("Unsqueeze", {scanned[t][i], place}, {}, fmt::format("scan{}/{}", i, t)));
        if (!settled_) return state;
      }
      if (i < backwards.size() && backwards[i] != 0) std::reverse(parts.begin(), parts.end());
      state.push_back(operation("Concat", parts, {{"axis", axis}}, fmt::format("scan{}", i)));
      if (!settled_) return state;
    }
    return state;
  }

  /// The node's outputs become copies of `results`, and it goes.
  void finish(const Ids& results) {
    const auto& nodes = graph_.nodes();
    auto after = std::find_if(nodes.begin(), nodes.end(),
                              [&](const Node& node) { return node.id == node_.id; });
    const NodeId next = after + 1 == nodes.end() ? kNone : (after + 1)->id;
    graph_.remove_node(node_.id);
    for (std::size_t i = 0; i < node_.outputs.size(); ++i) {
      if (node_.outputs[i] == kNone) continue;
      Node node;
      node.type = "Identity";
      node.name = fmt::format("{}/out{}", node_.name, i);
      node.opset = kExpansionOpset;
      node.inputs = {results[i]};
      node.outputs = {node_.outputs[i]};
      node.origins = node_.origins;
      const NodeId id = next == kNone ? graph_.add_node(std::move(node))
                                      : graph_.insert_node(std::move(node), next);
      all_.settle_(id);
    }
  }

  RegionInliner& all_;
  Graph& graph_;
  const Node node_;  // a copy: the graph's own moves as nodes are inserted
  bool settled_ = true;
};

Result<bool> RegionInliner::inline_node(NodeId id) { return Trip(*this, id).run(); }

}  // namespace frit

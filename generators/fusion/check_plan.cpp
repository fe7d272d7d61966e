#include "generators/fusion/check_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "ops/view.h"

namespace frit {
namespace {

constexpr std::int64_t kMostStored = std::numeric_limits<std::int32_t>::max();

class Checker {
 public:
  Checker(const Graph& graph, const Plan& plan) : graph_(graph), plan_(plan) {}

  Status run() {
    for (const Node& node : graph_.nodes()) nodes_.emplace(node.id, &node);
    FRIT_TRY(check_cover());
    for (const ValueId value : graph_.inputs) ready_.insert(value);
    for (const Group& group : plan_.groups) FRIT_TRY(check_group(group));
    for (const auto* ends : {&graph_.inputs, &graph_.outputs}) {
      for (const ValueId value : *ends) FRIT_TRY(check_callers(value));
    }
    for (const auto& [value, base] : plan_.alias_of) FRIT_TRY(check_view(value, base));
    for (const Group& group : plan_.groups) {
      if (group.kind != GroupKind::kAlias) continue;
      for (const NodeId id : group.nodes) FRIT_TRY(check_no_code(*nodes_.at(id)));
    }
    for (const auto& [value, base] : plan_.alias_of) {
      if (!plan_.storage.at(value).has_halo() || parts_.count(value) > 0) continue;
      return broken(fmt::format("'{}' has a border but is a view of '{}', which has values there",
                                name(value), name(base)));
    }
    return {};
  }

 private:
  static Status broken(const std::string& message) {
    return fail("plan-broken", message + "; this plan does not fit the graph");
  }
  const std::string& name(ValueId v) const { return graph_.value(v).name; }

  Status check_cover() {
    std::size_t count = 0;
    for (const Group& group : plan_.groups) {
      if (group.nodes.empty()) return broken(fmt::format("group {} has no nodes", group.name));
      for (const NodeId id : group.nodes) {
        ++count;
        if (nodes_.count(id) == 0) {
          return broken(
              fmt::format("group {} names node {}, but the graph has none such", group.name, id));
        }
        const auto place = group_of_.emplace(id, group.id);
        if (!place.second) {
          return broken(fmt::format("node '{}' is in group {} and in group {}", nodes_.at(id)->name,
                                    place.first->second, group.id));
        }
      }
    }
    if (count == graph_.nodes().size()) return {};
    for (const Node& node : graph_.nodes()) {
      if (group_of_.count(node.id) == 0) {
        return broken(fmt::format("node '{}' is in no group", node.name));
      }
    }
    return {};
  }

  bool needed_outside(ValueId value, const Group& group) const {
    if (graph_.is_output(value)) return true;
    for (const NodeId user : graph_.users(value)) {
      if (group_of_.at(user) != group.id) return true;
    }
    return false;
  }

  Status check_group(const Group& group) {
    std::set<ValueId> made;
    for (const NodeId id : group.nodes) {
      for (const ValueId input : nodes_.at(id)->inputs) {
        if (input == kNone || made.count(input) > 0) continue;
        const bool constant = graph_.value(input).constant.has_value();
        if (!constant && ready_.count(input) == 0) {
          return broken(
              fmt::format("group {} reads '{}' before it is made", group.name, name(input)));
        }
        if (std::count(group.inputs.begin(), group.inputs.end(), input) != 1) {
          return broken(fmt::format("group {} reads '{}' but does not list it once as input",
                                    group.name, name(input)));
        }
        FRIT_TRY(check_stored(input));
      }
      for (const ValueId output : nodes_.at(id)->outputs) {
        if (output != kNone) made.insert(output);
      }
    }
    for (const ValueId output : group.outputs) {
      if (made.count(output) == 0) {
        return broken(fmt::format("group {} lists the output '{}' but does not make it", group.name,
                                  name(output)));
      }
      FRIT_TRY(check_stored(output));
      ready_.insert(output);
    }
    for (const ValueId value : made) {
      const bool listed =
          std::find(group.outputs.begin(), group.outputs.end(), value) != group.outputs.end();
      if (!listed && needed_outside(value, group)) {
        return broken(fmt::format("'{}' is needed outside group {} but is not its output",
                                  name(value), group.name));
      }
    }
    return {};
  }

  Status check_stored(ValueId value) const {
    if (graph_.value(value).constant || plan_.storage.count(value) > 0) return {};
    return broken(fmt::format("'{}' crosses groups but has no storage", name(value)));
  }

  /// The caller's buffers: dense, row-major, nobody else's.
  Status check_callers(ValueId value) const {
    if (graph_.value(value).constant) return {};
    const auto storage = plan_.storage.find(value);
    const int rank = graph_.value(value).type.rank();
    if (storage == plan_.storage.end() || !(storage->second == dense_storage(rank)) ||
        plan_.alias_of.count(value) > 0) {
      return broken(fmt::format(
          "'{}' is the caller's but does not lie dense in a buffer of its own", name(value)));
    }
    return {};
  }

  /// Inside the buffer, every axis within it.
  Status check_view(ValueId value, ValueId base) const {
    const auto own = plan_.storage.find(base);
    const auto view = plan_.storage.find(value);
    if (own == plan_.storage.end() || view == plan_.storage.end() ||
        plan_.alias_of.count(base) > 0 || !view->second.is_view() || own->second.is_view()) {
      return broken(fmt::format("'{}' should be a view of '{}', which should own its buffer",
                                name(value), name(base)));
    }
    const std::vector<std::int64_t> dims = graph_.value(value).type.dims();
    if (std::count(dims.begin(), dims.end(), 0) > 0) return {};  // it reaches nothing
    const std::int64_t first = first_offset(view->second, dims);
    const std::int64_t end = first + stored_elements(view->second, dims);
    if (first < 0 || end > stored_elements(own->second, graph_.value(base).type.dims())) {
      return broken(fmt::format("'{}' reaches elements {} to {} of '{}', which has {}", name(value),
                                first, end, name(base),
                                stored_elements(own->second, graph_.value(base).type.dims())));
    }
    return {};
  }

  ValueId buffer_of(ValueId value) const {
    const auto alias = plan_.alias_of.find(value);
    return alias == plan_.alias_of.end() ? value : alias->second;
  }

  /// `value` is where `strides` and `offset` from logical index 0 of `from` say.
  Status check_place(ValueId value, ValueId from, const std::vector<std::int64_t>& strides,
                     std::int64_t offset) const {
    const auto dims = [&](ValueId v) { return graph_.value(v).type.dims(); };
    const Storage& is = plan_.storage.at(value);
    const Storage& source = plan_.storage.at(from);
    const bool there = buffer_of(value) == buffer_of(from) &&
                       origin_offset(is, dims(value)) == origin_offset(source, dims(from)) + offset;
    if (there && same_elements(dims(value), strides_of(is, dims(value)), strides)) return {};
    return broken(
        fmt::format("'{}' needs no code only where it lies in '{}' with strides {} and "
                    "offset {}, but it lies as {}",
                    name(value), name(from), dims_text(strides), offset, to_text(is, dims(value))));
  }

  /// The bytes of an alias group's inputs are those of its outputs.
  Status check_no_code(const Node& node) {
    const OpInstance op = graph_.instance(node);
    if (const auto stacked = stacking(op)) return check_parts(node, *stacked);
    if (node.inputs.empty() || node.inputs[0] == kNone || graph_.value(node.inputs[0]).constant ||
        has_attribute(node.attributes, "frit_layout")) {
      return broken(fmt::format("node '{}' needs code but stands in an alias group", node.name));
    }
    const ValueId input = node.inputs[0];
    const std::vector<std::int64_t> strides =
        strides_of(plan_.storage.at(input), graph_.value(input).type.dims());
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId output = node.outputs[i];
      if (output == kNone || plan_.storage.count(output) == 0) continue;
      const auto view = strided_view(op, i, strides);
      if (!view) {
        return broken(fmt::format("node '{}' stands in an alias group, but '{}' is no view of '{}'",
                                  node.name, name(output), name(input)));
      }
      FRIT_TRY(check_place(output, input, view->strides, view->offset));
    }
    return {};
  }

  Status check_parts(const Node& node, const Stacking& stacked) {
    const ValueId whole = node.outputs[0];
    const auto axis = static_cast<std::size_t>(stacked.axis);
    const Storage& storage = plan_.storage.at(whole);
    const std::vector<std::int64_t> strides = strides_of(storage, graph_.value(whole).type.dims());
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId part = node.inputs[i];
      if (graph_.value(part).constant) {
        return broken(fmt::format("node '{}' stacks the constant '{}' but stands in an alias group",
                                  node.name, name(part)));
      }
      FRIT_TRY(check_place(part, whole, strides, stacked.begins[i] * strides[axis]));
      const Storage& lies = plan_.storage.at(part);
      parts_.insert(part);
      if (!lies.has_halo()) continue;
      for (std::size_t a = 0; a < strides.size(); ++a) {
        const bool bordered =
            a != axis && a < storage.halo_low.size() && lies.halo_low[a] <= storage.halo_low[a] &&
            lies.halo_high[a] <= storage.halo_high[a] && lies.halo_fill == storage.halo_fill;
        if (bordered || (lies.halo_low[a] == 0 && lies.halo_high[a] == 0)) continue;
        return broken(fmt::format("'{}' has a border along axis {} that '{}' has not", name(part),
                                  a, name(whole)));
      }
    }
    return {};
  }

  const Graph& graph_;
  const Plan& plan_;
  std::set<ValueId> parts_;  ///< inputs of a Concat that needs no code
  std::map<NodeId, const Node*> nodes_;
  std::map<NodeId, int> group_of_;
  std::set<ValueId> ready_;
};

}  // namespace

Status check_sizes(const Graph& graph, const Plan& plan) {
  for (const auto& [value, storage] : plan.storage) {
    if (storage.is_view()) continue;
    const std::vector<std::int64_t> dims = graph.value(value).type.dims();
    std::int64_t elements = 1;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      std::int64_t extent = dims[axis];
      if (axis < storage.halo_low.size())
        extent += storage.halo_low[axis] + storage.halo_high[axis];
      const bool fits = !__builtin_mul_overflow(elements, extent, &elements) && extent >= 0;
      elements = fits ? std::min(elements, kMostStored + 1) : kMostStored + 1;
      if (extent == 0) {
        elements = 0;
        break;
      }
    }
    if (elements <= kMostStored) continue;
    return fail("plan-too-large",
                fmt::format("'{}' is stored as {}, but a kernel can index at most {} elements of a "
                            "tensor and its border; pass a smaller --shape",
                            graph.value(value).name, to_text(storage, dims), kMostStored));
  }
  return {};
}

Status check_plan(const Graph& graph, const Plan& plan) { return Checker(graph, plan).run(); }

}  // namespace frit

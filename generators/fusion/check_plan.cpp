#include "generators/fusion/check_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace frit {
namespace {

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

  Status check_view(ValueId value, ValueId base) const {
    const auto own = plan_.storage.find(base);
    const auto view = plan_.storage.find(value);
    if (own == plan_.storage.end() || view == plan_.storage.end() ||
        plan_.alias_of.count(base) > 0 || !view->second.is_view() || own->second.is_view()) {
      return broken(fmt::format("'{}' should be a view of '{}', which should own its buffer",
                                name(value), name(base)));
    }
    const std::vector<std::int64_t> dims = graph_.value(value).type.dims();
    const std::int64_t first = first_offset(view->second, dims);
    const std::int64_t end = first + stored_elements(view->second, dims);
    if (first < 0 || end > stored_elements(own->second, graph_.value(base).type.dims())) {
      return broken(fmt::format("'{}' reaches elements {} to {} of '{}', which has {}", name(value),
                                first, end, name(base),
                                stored_elements(own->second, graph_.value(base).type.dims())));
    }
    return {};
  }

  const Graph& graph_;
  const Plan& plan_;
  std::map<NodeId, const Node*> nodes_;
  std::map<NodeId, int> group_of_;
  std::set<ValueId> ready_;
};

}  // namespace

Status check_plan(const Graph& graph, const Plan& plan) { return Checker(graph, plan).run(); }

}  // namespace frit

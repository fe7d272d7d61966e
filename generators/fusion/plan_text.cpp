#include "generators/fusion/plan_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "generators/fusion/assemble.h"
#include "generators/fusion/check_plan.h"
#include "generators/fusion/plan_reader.h"
#include "generators/fusion/verdicts.h"
#include "ops/base/printable.h"

namespace frit {
namespace {

/// Names that say enough: not empty, and of one node or value only.
class Names {
 public:
  explicit Names(const Graph& graph) : graph_(graph) {
    for (const Node& node : graph.nodes()) nodes_[node.name].push_back(node.id);
    for (ValueId v = 0; v < graph.value_count(); ++v) values_[graph.value(v).name].push_back(v);
  }
  std::string node(NodeId id) const { return text(graph_.node(id).name, id, nodes_); }
  std::string value(ValueId id) const { return text(graph_.value(id).name, id, values_); }
  int find_node(const TextName& name) const { return find(name, nodes_); }
  int find_value(const TextName& name) const { return find(name, values_); }

 private:
  using Table = std::map<std::string, std::vector<int>>;
  static std::string text(const std::string& name, int id, const Table& table) {
    const bool clear = !name.empty() && table.at(name).size() == 1;
    return in_quotes(name) + (clear ? "" : fmt::format(" id {}", id));
  }
  static int find(const TextName& name, const Table& table) {
    const auto place = table.find(name.name);
    if (place == table.end()) return kNone;
    if (name.id == kNone) return place->second.size() == 1 ? place->second[0] : kNone;
    const auto& ids = place->second;
    return std::find(ids.begin(), ids.end(), name.id) == ids.end() ? kNone : name.id;
  }

  const Graph& graph_;
  Table nodes_, values_;
};

std::string value_line(const Plan& plan, const Graph& graph, const Names& names, ValueId value) {
  const Value& v = graph.value(value);
  const auto storage = plan.storage.find(value);
  std::string text = fmt::format("{} {}", names.value(value), to_text(v.type));
  if (storage == plan.storage.end()) return text;
  text += " stored " + to_text(storage->second, v.type.dims());
  const auto alias = plan.alias_of.find(value);
  if (alias != plan.alias_of.end()) text += " in " + names.value(alias->second);
  return text;
}

/// As a comment: the model's names of an output that is stored under another.
std::string public_names(const Graph& graph, ValueId value) {
  std::string text;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    if (graph.outputs[i] != value || graph.output_name(i) == graph.value(value).name) continue;
    text += (text.empty() ? "  # the model's output " : ", ") + in_quotes(graph.output_name(i));
  }
  return text;
}

std::string group_text(const Plan& plan, const Graph& graph, const Names& names,
                       const Group& group) {
  const bool alias = group.kind == GroupKind::kAlias;
  std::string text =
      fmt::format("group {} {} {}\n", group.id, alias ? "alias" : "kernel", group.anchor);
  for (const NodeId id : group.nodes) {
    const Node& node = graph.node(id);
    text += fmt::format("  node {} {}{}", names.node(id), node.type,
                        id == group.anchor_node ? " anchor" : "");
    const bool itself = node.origins.size() == 1 && node.origins[0] == node.name;
    if (!node.origins.empty() && !itself) {
      text += "  # from";
      for (const std::string& origin : node.origins) text += " " + in_quotes(origin);
    }
    text += "\n";
  }
  for (const ValueId output : group.outputs) {
    text += "  out " + value_line(plan, graph, names, output);
    text += public_names(graph, output) + "\n";
  }
  return text;
}

/// What the text says of the node or value against the graph; empty where they agree.
std::string contradiction(const Graph& graph, NodeId id, const TextNode& text) {
  const std::string& type = graph.node(id).type;
  if (text.type == type) return "";
  return fmt::format(
      "the plan says that node {} is a {} but the graph's is a {}; make the plan anew "
      "with frit plan -o",
      in_quotes(text.node.name), text.type, type);
}

std::string contradiction(const Graph& graph, ValueId id, const TextStored& text) {
  const std::string type = to_text(graph.value(id).type);
  if (text.type == type) return "";
  return fmt::format(
      "the plan says that {} is {} but the graph's is {}; pass the --shape of the plan "
      "or make it anew with frit plan -o",
      in_quotes(text.value.name), text.type, type);
}

/// Numbers that no tensor needs, and that arithmetic on them could not hold; empty: none.
std::string beyond_limits(const TextStored& text) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  for (const auto* list : {&text.low, &text.high, &text.strides}) {
    for (const std::int64_t number : *list) {
      if (number >= -kMost && number <= kMost) continue;
      return fmt::format(
          "the storage of {} has the number {} but borders and strides are at most "
          "{}; correct the line",
          in_quotes(text.value.name), number, kMost);
    }
  }
  if (text.offset >= -kMost && text.offset <= kMost) return "";
  return fmt::format("the storage of {} has the offset {} but it is at most {}; correct the line",
                     in_quotes(text.value.name), text.offset, kMost);
}

/// Text -> Plan. Lives for one call of parse_plan.
class PlanParser {
 public:
  PlanParser(const Graph& graph, const GraphFacts& facts, const PlanOptions& options)
      : graph_(graph),
        facts_(facts),
        options_(options),
        names_(graph),
        layout_(choose_layout(facts)),
        grouping_(choose_groups(facts, layout_, options)) {}

  tl::expected<Plan, Diagnostics> run(const TextPlan& text) {
    grouping_.groups.clear();
    std::fill(grouping_.group_of.begin(), grouping_.group_of.end(), -1);
    layout_.views.clear();
    for (const TextGroup& group : text.groups) take_group(group);
    for (const TextStored& input : text.inputs) take_storage(input);
    if (!faults_.empty()) return tl::unexpected(faults_);
    for (std::size_t g = 0; g < text.groups.size(); ++g) make(text.groups[g], static_cast<int>(g));
    for (const TextStored& input : text.inputs) check_border(input);
    for (const TextGroup& group : text.groups) {
      for (const TextStored& output : group.outputs) check_border(output);
    }
    if (!faults_.empty()) return tl::unexpected(faults_);
    for (const auto& check : {check_sizes, check_plan}) {
      if (auto sound = check(graph_, plan_); !sound) {
        return tl::unexpected(Diagnostics{sound.error()});
      }
    }
    plan_.edges = make_verdicts(facts_, layout_, grouping_, options_);
    return std::move(plan_);
  }

 private:
  void complain(const SourcePlace& place, const std::string& code, const std::string& message) {
    Diagnostic fault = error(code, message);
    fault.place = place;
    faults_.push_back(std::move(fault));
  }

  void take_group(const TextGroup& text) {
    Grouping::Members members;
    members.alias = text.alias;
    const int g = static_cast<int>(grouping_.groups.size());
    for (const TextNode& one : text.nodes) {
      const int id = names_.find_node(one.node);
      if (id == kNone) {
        complain(one.place, "plan-no-such-node",
                 fmt::format("the plan names {} but the graph has no one such node; is it of "
                             "another model or shape?",
                             in_quotes(one.node.name)));
        continue;
      }
      if (const auto fault = contradiction(graph_, id, one); !fault.empty()) {
        complain(one.place, "plan-fact", fault);
        continue;
      }
      const int p = facts_.position(id);
      int& owner = grouping_.group_of[static_cast<std::size_t>(p)];
      if (owner >= 0) {
        complain(one.place, "plan-broken",
                 fmt::format("{} stands in group {} and in group {}; take one line away",
                             label(*facts_.at(p).node), owner, g));
        continue;
      }
      owner = g;
      members.nodes.push_back(p);
      if (one.anchor) members.anchor = p;
      if (text.alias) layout_.views.insert(id);
    }
    if (text.nodes.empty()) {
      complain(text.place, "plan-broken",
               fmt::format("group {} has no nodes but every group computes one", g));
    }
    std::sort(members.nodes.begin(), members.nodes.end());
    grouping_.groups.push_back(std::move(members));
    for (const TextStored& output : text.outputs) take_storage(output);
  }

  void take_storage(const TextStored& text) {
    const int value = names_.find_value(text.value);
    if (value == kNone) {
      return complain(text.place, "plan-no-such-value",
                      fmt::format("the plan names {} but the graph has no one such value",
                                  in_quotes(text.value.name)));
    }
    if (const auto fault = contradiction(graph_, value, text); !fault.empty()) {
      return complain(text.place, "plan-fact", fault);
    }
    if (!text.stored) return;
    const std::vector<std::int64_t> dims = graph_.value(value).type.dims();
    Storage storage;
    storage.halo_low.assign(dims.size(), 0);
    storage.halo_high.assign(dims.size(), 0);
    std::set<int> seen;
    bool fits = text.axes.size() == dims.size();
    for (std::size_t i = text.axes.size(); i-- > 0 && fits;) {
      const int axis = text.axes[i];
      const auto a = static_cast<std::size_t>(axis);
      fits = axis >= 0 && a < dims.size() && seen.insert(axis).second &&
             dims[a] == text.extents[i] && text.low[i] >= 0 && text.high[i] >= 0;
      if (!fits) break;
      storage.order.push_back(axis);
      storage.halo_low[a] = text.low[i];
      storage.halo_high[a] = text.high[i];
    }
    fits = fits && (text.base.name.empty() || text.strides.size() == dims.size());
    if (!fits) {
      return complain(text.place, "plan-text",
                      fmt::format("'{}' is {} but its storage lists other axes; write each axis "
                                  "once as axis:extent",
                                  text.value.name, to_text(graph_.value(value).type)));
    }
    if (const auto fault = beyond_limits(text); !fault.empty()) {
      return complain(text.place, "plan-too-large", fault);
    }
    storage.halo_fill = text.fill;
    if (!storage.has_halo()) storage.halo_low = storage.halo_high = {};
    if (!text.base.name.empty()) {
      const int base = names_.find_value(text.base);
      if (base == kNone) {
        return complain(text.place, "plan-no-such-value",
                        fmt::format("'{}' should lie in {} but the graph has no one such value",
                                    text.value.name, in_quotes(text.base.name)));
      }
      storage.view = true;
      storage.strides = text.strides;
      storage.offset = text.offset;
      plan_.alias_of[value] = base;
    }
    plan_.storage[value] = std::move(storage);
  }

  /// The farthest that a reader of `value`, or of a view of it, reads beyond an axis.
  std::int64_t farthest_read(ValueId value) const {
    std::int64_t farthest = 0;
    for (const int user : facts_.users(value)) {
      const NodeFacts& reader = facts_.at(user);
      for (std::size_t i = 0; i < reader.node->inputs.size(); ++i) {
        if (reader.node->inputs[i] != value) continue;
        const Operator::Reach reach = reader.rule->reach(reader.op, i);
        for (const auto* side : {&reach.low, &reach.high}) {
          for (const std::int64_t elements : *side) farthest = std::max(farthest, elements);
        }
      }
    }
    for (const auto& [view, base] : plan_.alias_of) {
      if (base == value && view != value) farthest = std::max(farthest, farthest_read(view));
    }
    return farthest;
  }

  /// A wider border than anybody reads is a slip of the pen, and may be more than memory holds.
  void check_border(const TextStored& text) {
    if (!text.stored) return;
    const std::int64_t most = farthest_read(names_.find_value(text.value));
    for (std::size_t i = 0; i < text.axes.size(); ++i) {
      const std::int64_t border = std::max(text.low[i], text.high[i]);
      if (border <= most) continue;
      complain(text.place, "plan-border",
               fmt::format("{} has a border of {} along axis {} but nothing reads more than {} "
                           "beyond it; write that",
                           in_quotes(text.value.name), border, text.axes[i], most));
    }
  }

  void make(const TextGroup& text, int g) {
    Grouping::Members& members = grouping_.groups[static_cast<std::size_t>(g)];
    if (!members.alias) check_kernel(text, members);
    Group group = make_group(facts_, layout_, members, g);
    const bool free = members.anchor < 0 && !members.alias;
    if (free && (text.anchor == "elementwise" || text.anchor == "transpose")) {
      group.anchor = text.anchor;
      group.name = fmt::format("{}_{}", group.anchor, g);
    } else if (group.anchor != text.anchor) {
      complain(text.place, "plan-text",
               fmt::format("group {} is anchored as '{}' but its nodes make it '{}'", g,
                           text.anchor, group.anchor));
    }
    plan_.groups.push_back(std::move(group));
  }

  /// The hard rules for one kernel, whatever the cost model would say.
  void check_kernel(const TextGroup& text, const Grouping::Members& members) {
    for (const int p : members.nodes) {
      const OpKind kind = facts_.at(p).kind;
      const bool reduces = kind == OpKind::kReduction || kind == OpKind::kChain;
      if (reduces && p != members.anchor) {
        complain(
            text.place, "two-reductions",
            members.anchor < 0
                ? fmt::format("{} reduces but no line of its group says 'anchor'",
                              label(*facts_.at(p).node))
                : fmt::format("{} reduces but {} already anchors the group",
                              label(*facts_.at(p).node), label(*facts_.at(members.anchor).node)));
      }
    }
    if (results_of(facts_, members).size() > 1) {
      complain(text.place, "multi-use",
               fmt::format("the group makes '{}' and '{}' for others but a kernel writes one value",
                           graph_.value(results_of(facts_, members)[0]).name,
                           graph_.value(results_of(facts_, members)[1]).name));
    }
    for (const int p : members.nodes) check_edges(text, members, p);
  }

  void check_edges(const TextGroup& text, const Grouping::Members& members, int p) {
    for (const ValueId input : facts_.at(p).node->inputs) {
      const int maker = input == kNone ? -1 : facts_.producer(input);
      if (maker < 0 || !std::binary_search(members.nodes.begin(), members.nodes.end(), maker)) {
        continue;
      }
      auto refusal = pair_refusal(facts_, options_, maker, p);
      const bool behind =
          members.anchor >= 0 &&
          (maker == members.anchor ||
           (maker > members.anchor && !facts_.between(members.anchor, maker).empty()));
      if (!refusal && behind) refusal = epilogue_refusal(facts_, members.anchor, input, p);
      if (refusal) complain(text.place, refusal->code, refusal->sentence);
    }
  }

  const Graph& graph_;
  const GraphFacts& facts_;
  const PlanOptions& options_;
  Names names_;
  Layout layout_;
  Grouping grouping_;
  Plan plan_;
  Diagnostics faults_;
};

/// Differences between a plan and the text that a person expects.
class PlanComparer {
 public:
  PlanComparer(const Graph& graph, const Plan& plan) : graph_(graph), plan_(plan), names_(graph) {}

  Diagnostics run(const TextPlan& text) {
    for (std::size_t g = 0; g < text.groups.size(); ++g) {
      for (const TextNode& node : text.groups[g].nodes) {
        const int id = names_.find_node(node.node);
        if (id != kNone) {
          if (const auto fault = contradiction(graph_, id, node); !fault.empty()) {
            report(node.place, "plan-fact", fault);
          }
          wanted_[id] = {static_cast<int>(g), text.groups[g].alias, node.place};
        } else {
          report(node.place, "plan-no-such-node",
                 fmt::format("the plan expects a node {} but the graph has no one such",
                             in_quotes(node.node.name)));
        }
      }
    }
    for (const EdgeVerdict& edge : plan_.edges) compare_edge(edge);
    const auto now = read_plan_text(to_text(plan_, graph_), "");
    FRIT_ASSERT(now.has_value(), "a printed plan does not read back");
    compare_storage(stored_lines(text), stored_lines(*now));
    return std::move(found_);
  }

 private:
  struct Wanted {
    int group = -1;
    bool alias = false;
    SourcePlace place;
  };
  using Lines = std::map<std::string, TextStored>;

  void report(const SourcePlace& place, const char* code, std::string message) {
    found_.push_back(error(code, std::move(message)));
    found_.back().place = place;
  }

  void compare_edge(const EdgeVerdict& edge) {
    const auto a = wanted_.find(edge.producer), b = wanted_.find(edge.consumer);
    if (a == wanted_.end() || b == wanted_.end()) return;
    const bool kept = a->second.group == b->second.group || a->second.alias || b->second.alias;
    if (kept == edge.fused) return;
    const std::string pair = fmt::format("{} and {}", label(graph_.node(edge.producer)),
                                         label(graph_.node(edge.consumer)));
    if (kept) {
      report(b->second.place, "plan-missed",
             fmt::format("the plan expects {} fused, but {} [{}]", pair, edge.sentence, edge.code));
    } else {
      report(b->second.place, "plan-unexpected",
             fmt::format("the plan expects {} apart, but {}", pair, edge.sentence));
    }
  }

  static Lines stored_lines(const TextPlan& text) {
    Lines lines;
    for (const TextStored& input : text.inputs) lines[input.value.name] = input;
    for (const TextGroup& group : text.groups) {
      for (const TextStored& output : group.outputs) lines[output.value.name] = output;
    }
    return lines;
  }

  /// Of values that both store; the others are told of by their edges.
  void compare_storage(const Lines& expected, const Lines& now) {
    for (const auto& [name, line] : expected) {
      const auto found = now.find(name);
      if (found == now.end() || !found->second.stored || !line.stored) continue;
      const TextStored& is = found->second;
      if (is.axes == line.axes && is.low == line.low && is.high == line.high &&
          is.fill == line.fill && is.strides == line.strides && is.offset == line.offset &&
          is.base.name == line.base.name) {
        continue;
      }
      const auto stored = [](const TextStored& one) {
        return one.place.source_line.substr(one.place.source_line.find("stored"));
      };
      report(line.place, "plan-storage",
             fmt::format("the plan expects '{}' {}, but it is {}", name, stored(line), stored(is)));
    }
  }

  const Graph& graph_;
  const Plan& plan_;
  Names names_;
  std::map<NodeId, Wanted> wanted_;
  Diagnostics found_;
};

}  // namespace

std::string to_text(const Plan& plan, const Graph& graph) {
  const Names names(graph);
  std::string text = "plan 1\n";
  for (const ValueId input : graph.inputs) {
    text += "in " + value_line(plan, graph, names, input) + "\n";
  }
  for (const Group& group : plan.groups) text += group_text(plan, graph, names, group);
  return text;
}

tl::expected<Plan, Diagnostics> parse_plan(const std::string& text, const std::string& file,
                                           const Graph& graph, const PlanOptions& options) {
  auto read = read_plan_text(text, file);
  if (!read) return tl::unexpected(read.error());
  auto facts = GraphFacts::of(graph);
  if (!facts) return tl::unexpected(Diagnostics{facts.error()});
  return PlanParser(graph, *facts, options).run(*read);
}

Diagnostics compare_plan(const std::string& text, const std::string& file, const Graph& graph,
                         const Plan& plan) {
  auto read = read_plan_text(text, file);
  if (!read) return read.error();
  return PlanComparer(graph, plan).run(*read);
}

}  // namespace frit

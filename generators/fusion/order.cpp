#include "generators/fusion/order.h"

#include <algorithm>

#include "generators/fusion/layout.h"
#include "ops/view.h"

namespace frit {
namespace {

class OrderChooser {
 public:
  OrderChooser(const GraphFacts& facts, bool outputs_dense) : facts_(facts), graph_(facts.graph()) {
    for (ValueId v = 0; v < graph_.value_count(); ++v) {
      orders_.push_back(dense_storage(graph_.value(v).type.rank()));
    }
    fixed_.assign(orders_.size(), false);
    for (const ValueId v : graph_.inputs) fixed_[index(v)] = true;
    for (const ValueId v : graph_.outputs) fixed_[index(v)] = outputs_dense;
  }

  std::vector<Storage> run() {
    for (int p = 0; p < facts_.size(); ++p) choose(p);
    for (int p = facts_.size() - 1; p >= 0; --p) please_readers(p);
    for (int p = 0; p < facts_.size(); ++p) choose(p);
    for (int p = 0; p < facts_.size(); ++p) please_reshape(p);
    return orders_;
  }

 private:
  static std::size_t index(ValueId v) { return static_cast<std::size_t>(v); }
  int rank(ValueId v) const { return graph_.value(v).type.rank(); }
  bool is_channels_last(ValueId v) const {
    return rank(v) >= 3 && orders_[index(v)].order == channels_last_storage(rank(v)).order;
  }
  void set(ValueId v, const Storage& storage) {
    if (!fixed_[index(v)]) orders_[index(v)] = storage;
  }

  void choose(int p) {
    const NodeFacts& node = facts_.at(p);
    for (const ValueId output : node.node->outputs) {
      if (output == kNone) continue;
      if (node.layout) {
        const bool last =
            string_attribute(node.op.attributes, "frit_layout", "") == "channels_last";
        set(output, last ? channels_last_storage(rank(output)) : dense_storage(rank(output)));
      } else if (node.channels || reads_channels_last(p, output)) {
        set(output, channels_last_storage(rank(output)));
      }
    }
  }

  /// Pointwise on channels-last stays so, and whatever else keeps the axes: global pools, Concat,
  /// Pad.
  bool reads_channels_last(int p, ValueId output) const {
    const NodeFacts& node = facts_.at(p);
    const bool one_input = node.node->inputs.size() == 1;
    const bool same_axes = node.kind == OpKind::kPointwise || node.kind == OpKind::kChain ||
                           (node.kind == OpKind::kReduction && one_input) || keeps_axes(node.op);
    if (!same_axes || rank(output) < 3) return false;
    std::int64_t last = 0, dense = 0;
    for (const ValueId input : node.node->inputs) {
      if (input == kNone || graph_.value(input).constant || rank(input) != rank(output)) continue;
      (is_channels_last(input) ? last : dense) += graph_.value(input).type.elements();
    }
    return last > 0 && last >= dense;
  }

  /// A pointwise result that only convolutions read is written as they like it; so is a moved one
  /// (the Reshape that ends a channel shuffle) that cannot be a view and so is written anyway.
  void please_readers(int p) {
    const NodeFacts& node = facts_.at(p);
    const bool moved = node.kind == OpKind::kInjective && is_copy(node);
    if ((node.kind != OpKind::kPointwise && !moved) || node.layout) return;
    for (const ValueId output : node.node->outputs) {
      if (output == kNone || rank(output) < 3) continue;
      const std::vector<int>& users = facts_.users(output);
      const auto likes = [&](int user) {
        const NodeFacts& reader = facts_.at(user);
        if (reader.channels) return reader.node->inputs[0] == output;
        return reader.kind == OpKind::kPointwise && rank(reader.node->outputs[0]) == rank(output) &&
               is_channels_last(reader.node->outputs[0]);
      };
      if (!users.empty() && std::all_of(users.begin(), users.end(), likes)) {
        set(output, channels_last_storage(rank(output)));
      }
    }
  }

  bool is_copy(const NodeFacts& node) const {
    const ValueId input = node.node->inputs[0];
    return node.node->outputs.size() == 1 && node.node->inputs.size() == 1 && rank(input) > 0 &&
           !graph_.value(input).constant && !strided_view(node.op, 0, strides_at(input));
  }

  /// Transposes followed by a Reshape that merges axes: the maker of the first value can write the
  /// order that makes all of them views, if that leaves its innermost axis alone.
  void please_reshape(int p) {
    const NodeFacts& reshape = facts_.at(p);
    if (reshape.kind != OpKind::kInjective) return;
    ValueId value = reshape.node->inputs[0];
    if (rank(value) == 0 || graph_.value(value).constant) return;
    const Storage dense = dense_storage(rank(value));
    const bool view_if_dense =
        strided_view(reshape.op, 0, strides_of(dense, graph_.value(value).type.dims())).has_value();
    if (!view_if_dense || strided_view(reshape.op, 0, strides_at(value))) return;
    std::vector<int> order = dense.order;
    int maker = facts_.producer(value);
    while (maker >= 0) {
      const auto perm = axis_permutation(facts_.at(maker).op);
      if (!perm) break;
      for (int& axis : order) axis = (*perm)[static_cast<std::size_t>(axis)];
      value = facts_.at(maker).node->inputs[0];
      maker = facts_.producer(value);
    }
    if (maker < 0 || order.empty()) return;
    const NodeFacts& first = facts_.at(maker);
    const bool ours = first.kind != OpKind::kInjective && !first.channels && !first.layout;
    if (!ours || is_channels_last(value) || order[0] != rank(value) - 1) return;
    Storage storage;
    storage.order = order;
    set(value, storage);
  }

  /// Strides of a value followed back through Transposes to the buffer that its maker writes.
  std::vector<std::int64_t> strides_at(ValueId value) const {
    const int maker = facts_.producer(value);
    if (maker >= 0 && axis_permutation(facts_.at(maker).op)) {
      const auto view =
          strided_view(facts_.at(maker).op, 0, strides_at(facts_.at(maker).node->inputs[0]));
      if (view) return view->strides;
    }
    return strides_of(orders_[index(value)], graph_.value(value).type.dims());
  }

  const GraphFacts& facts_;
  const Graph& graph_;
  std::vector<Storage> orders_;
  std::vector<bool> fixed_;
};

}  // namespace

Storage channels_last_storage(int rank) {
  Storage storage;
  storage.order.push_back(1);
  for (int axis = rank - 1; axis >= 2; --axis) storage.order.push_back(axis);
  storage.order.push_back(0);
  return storage;
}

std::vector<Storage> natural_orders(const GraphFacts& facts, bool outputs_dense) {
  return OrderChooser(facts, outputs_dense).run();
}

}  // namespace frit

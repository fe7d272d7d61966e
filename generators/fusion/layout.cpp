#include "generators/fusion/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "generators/fusion/halo.h"
#include "generators/fusion/order.h"
#include "ops/view.h"

namespace frit {
namespace {

using Dims = std::vector<std::int64_t>;

/// Rows of a product from which one pass that transposes its right-hand side is cheaper than
/// gathering it for each register tile of rows (text recogniser, two heads of 40 rows: 1 % of its
/// time).
constexpr std::int64_t kGatherRows = 8;

class Placer {
 public:
  explicit Placer(const GraphFacts& facts) : facts_(facts), graph_(facts.graph()) {
    layout_.storage = natural_orders(facts, true);
  }

  Layout run() {
    for (int p = facts_.size() - 1; p >= 0; --p) stack(p);
    for (ValueId v = 0; v < graph_.value_count(); ++v) {
      if (owns_inner_buffer(v)) add_halo(facts_, part_axis_, v, storage(v));
    }
    for (int p = facts_.size() - 1; p >= 0; --p) place_parts(p);
    for (int p = 0; p < facts_.size(); ++p) place_view(p);
    return std::move(layout_);
  }

 private:
  Storage& storage(ValueId v) { return layout_.storage[static_cast<std::size_t>(v)]; }
  Dims dims(ValueId v) const { return graph_.value(v).type.dims(); }
  const std::string& name(ValueId v) const { return graph_.value(v).name; }
  ValueId base_of(ValueId v) const {
    const auto place = layout_.alias_of.find(v);
    return place == layout_.alias_of.end() ? v : place->second;
  }
  void refuse(const Node& node, std::string code, std::string sentence) {
    layout_.refusals[node.id] = {std::move(code), std::move(sentence)};
  }

  /// An output of one of our kernels, in a buffer of ours.
  bool owns_inner_buffer(ValueId v) const {
    const int maker = facts_.producer(v);
    if (maker < 0 || graph_.is_output(v) || part_axis_.count(v) > 0) return false;
    return !could_be_view(maker);
  }
  bool could_be_view(int p) const {
    const NodeFacts& node = facts_.at(p);
    if (node.layout || node.node->inputs.empty() || node.node->inputs[0] == kNone) return false;
    const ValueId input = node.node->inputs[0];
    if (graph_.value(input).constant) return false;
    const Dims strides = strides_of(dense_storage(graph_.value(input).type.rank()), dims(input));
    return strided_view(node.op, 0, strides).has_value();
  }

  /// Marks the inputs of a Concat as parts of its output, where all of them can be.
  void stack(int p) {
    const NodeFacts& node = facts_.at(p);
    const auto stacked = stacking(node.op);
    if (!stacked) return;
    const ValueId whole = node.node->outputs[0];
    std::vector<ValueId> seen;
    for (const ValueId part : node.node->inputs) {
      const std::string why = why_not_part(part, whole, seen);
      if (!why.empty()) return refuse(*node.node, "alias", why);
      seen.push_back(part);
    }
    for (const ValueId part : node.node->inputs) {
      part_axis_[part] = {whole, stacked->axis};
      storage(part) = storage(whole);
    }
    layout_.views.insert(node.node->id);
  }

  static Storage packed(const std::vector<int>& order) {
    Storage storage;
    storage.order = order;
    return storage;
  }

  std::string why_not_part(ValueId part, ValueId whole, const std::vector<ValueId>& seen) {
    const int maker = facts_.producer(part);
    const auto say = [&](const std::string& fact) {
      return fmt::format("'{}' should be written straight into '{}', but {}", name(part),
                         name(whole), fact);
    };
    if (graph_.value(part).constant) return say("it is a constant");
    if (maker < 0) return say("it is a graph input, in the caller's buffer");
    if (graph_.is_output(part)) return say("it is a graph output, in the caller's buffer");
    if (part_axis_.count(part) > 0) return say("it already lies in another buffer");
    if (std::count(seen.begin(), seen.end(), part) > 0) return say("it stands there twice");
    if (could_be_view(maker)) return say("it is a view of another value");
    const Dims extents = dims(part);
    if (!same_elements(extents, strides_of(storage(part), extents),
                       strides_of(packed(storage(whole).order), extents))) {
      return say("their makers write another axis order");
    }
    return "";
  }

  void place_parts(int p) {
    const NodeFacts& node = facts_.at(p);
    if (layout_.views.count(node.node->id) == 0) return;
    const Stacking stacked = *stacking(node.op);
    const ValueId whole = node.node->outputs[0];
    const Dims extents = dims(whole);
    const Dims strides = strides_of(storage(whole), extents);
    const auto axis = static_cast<std::size_t>(stacked.axis);
    for (std::size_t i = 0; i < node.node->inputs.size(); ++i) {
      Storage& part = storage(node.node->inputs[i]);
      part = storage(whole);
      part.view = true;
      part.strides = strides;
      part.offset = origin_offset(storage(whole), extents) + stacked.begins[i] * strides[axis];
      if (part.has_halo()) part.halo_low[axis] = part.halo_high[axis] = 0;
      layout_.alias_of[node.node->inputs[i]] = base_of(whole);
    }
  }

  /// Makes the outputs of an injective node views of its input, or says why not.
  void place_view(int p) {
    const Node& node = *facts_.at(p).node;
    if (facts_.at(p).kind != OpKind::kInjective && !could_be_view(p)) return;
    if (layout_.views.count(node.id) > 0 || layout_.refusals.count(node.id) > 0) return;
    if (!could_be_view(p)) return refuse_index(p);
    const ValueId input = node.inputs[0];
    std::vector<Storage> views;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const auto view = strided_view(facts_.at(p).op, i, strides_of(storage(input), dims(input)));
      if (!view) return refuse_strides(p);
      views.push_back(
          view_storage(facts_.at(p).op.outputs[i].dims(), *view, storage(input), dims(input)));
    }
    if (const auto reader = strided_reader(p, views[0])) {
      return refuse(node, "layout",
                    fmt::format("'{}' as a view would have neighbours {} elements apart along its "
                                "last axis, but {} reads vectors along it",
                                name(node.outputs[0]), views[0].strides.back(),
                                label(*facts_.at(*reader).node)));
    }
    for (const ValueId output : node.outputs) {
      if (output == kNone || !graph_.is_output(output)) continue;
      if (node.outputs.size() != 1 || !become_base(input, output, views[0])) {
        return refuse(
            node, "alias",
            fmt::format("'{}' is a graph output, in the caller's buffer, but '{}' lies in "
                        "another one",
                        name(output), name(input)));
      }
      layout_.views.insert(node.id);
      return;
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i] == kNone) continue;
      storage(node.outputs[i]) = views[i];
      layout_.alias_of[node.outputs[i]] = base_of(input);
    }
    layout_.views.insert(node.id);
  }

  /// A product that would gather its right-hand side, many times over, from a transposed view.
  std::optional<int> strided_reader(int p, const Storage& view) const {
    if (!axis_permutation(facts_.at(p).op) || view.strides.empty()) return std::nullopt;
    const ValueId output = facts_.at(p).node->outputs[0];
    const Dims extents = dims(output);
    if (extents.back() <= 1 || view.strides.back() == 1) return std::nullopt;
    for (const int user : facts_.users(output)) {
      const NodeFacts& reader = facts_.at(user);
      const bool right = reader.anchor == "matmul" && reader.node->inputs[1] == output &&
                         reader.node->inputs[0] != output;
      const std::int64_t elements = std::max<std::int64_t>(graph_.value(output).type.elements(), 1);
      if (right && reader.counts.flop / 2 / elements >= kGatherRows) return user;
    }
    return std::nullopt;
  }

  static Storage view_storage(const Dims& extents, const StridedView& view, const Storage& from,
                              const Dims& from_extents) {
    Storage result;
    result.view = true;
    result.strides = view.strides;
    result.offset = origin_offset(from, from_extents) + view.offset;
    result.order = dense_storage(static_cast<int>(extents.size())).order;
    std::stable_sort(result.order.begin(), result.order.end(), [&](int a, int b) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      if ((extents[i] == 1) != (extents[j] == 1)) return extents[j] == 1;
      return extents[i] > 1 && view.strides[i] < view.strides[j];
    });
    return result;
  }

  /// The graph output owns the buffer and `input`'s base is written there, where the bytes agree.
  bool become_base(ValueId input, ValueId output, const Storage& view) {
    const ValueId base = base_of(input);
    if (facts_.producer(base) < 0 || graph_.is_output(base)) return false;
    const Dims extents = dims(output);
    const Storage dense = dense_storage(static_cast<int>(extents.size()));
    if (storage(base).has_halo() || view.offset != 0 ||
        graph_.value(base).type.bytes() != graph_.value(output).type.bytes() ||
        !same_elements(extents, view.strides, strides_of(dense, extents))) {
      return false;
    }
    for (auto& [value, owner] : layout_.alias_of) {
      if (owner == base) owner = output;
    }
    storage(base).strides = strides_of(storage(base), dims(base));
    storage(base).view = true;
    layout_.alias_of[base] = output;
    storage(output) = dense;
    return true;
  }

  void refuse_strides(int p) {
    const Node& node = *facts_.at(p).node;
    refuse(node, "layout",
           fmt::format("'{}' lies as {}, but {} needs axes next to each other that are not",
                       name(node.inputs[0]), to_text(storage(node.inputs[0]), dims(node.inputs[0])),
                       label(node)));
  }
  void refuse_index(int p) {
    const Node& node = *facts_.at(p).node;
    refuse(node, "attribute",
           fmt::format("{} makes '{}' from '{}' by an index that is no sum of strides, and a view "
                       "has only strides",
                       label(node), name(node.outputs[0]),
                       node.inputs[0] == kNone ? "nothing" : name(node.inputs[0])));
  }

  const GraphFacts& facts_;
  const Graph& graph_;
  Layout layout_;
  PartMap part_axis_;
};

}  // namespace

Layout choose_layout(const GraphFacts& facts) { return Placer(facts).run(); }

}  // namespace frit

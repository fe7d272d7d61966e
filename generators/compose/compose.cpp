#include "generators/compose/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "generators/compose/pack.h"
#include "ops/halide_type.h"

namespace frit {
namespace {

using Halide::Expr;
using Halide::Var;

/// A group's axes as its result lies, innermost first, axes of extent 1 outermost: they have no
/// neighbours, and [n,c,1,1] in the caller's order runs along c as much as channels-last does (a
/// pool that ends a graph: 45 to 5 ms at 64x320x320).
std::vector<int> result_order(const Storage& storage, const std::vector<std::int64_t>& dims) {
  std::vector<int> order = storage.order;
  std::stable_partition(order.begin(), order.end(),
                        [&](int axis) { return dims[static_cast<std::size_t>(axis)] != 1; });
  return order;
}

// Builds one Composed; lives for one call of compose().
class Composer {
 public:
  Composer(const Graph& graph, const Plan& plan, const Group& group,
           const std::vector<PackSpec>& packs)
      : graph_(graph), plan_(plan), group_(group), result_(std::make_unique<Composed>()) {
    result_->packs = packs;
  }

  Result<std::unique_ptr<Composed>> run() {
    for (const ValueId input : group_.inputs) FRIT_TRY(add_input(input));
    for (const NodeId id : group_.nodes) build_node(graph_.node(id));
    for (const ValueId output : group_.outputs) add_output(output);
    finish_view();
    return std::move(result_);
  }

 private:
  Status add_input(ValueId id) {
    const Value& value = graph_.value(id);
    if (is_literal(value)) {
      operands_[id] = literal_operand(value);
      return {};
    }
    ComposedInput input;
    input.value = id;
    input.is_constant = value.constant.has_value();
    name_input(input);
    FRIT_TRY(lay_out(input, value));
    const Halide::Type type = halide_type(value.type.dtype);
    input.param = Halide::ImageParam(type, static_cast<int>(input.layout.dims.size()), input.role);
    for (std::size_t d = 0; d < input.layout.dims.size(); ++d) {
      const BufferLayout::Dim& dim = input.layout.dims[d];
      input.param.dim(static_cast<int>(d))
          .set_bounds(static_cast<int>(dim.min), static_cast<int>(dim.extent))
          .set_stride(static_cast<int>(dim.stride));
    }
    if (input.is_constant) input.param.set_host_alignment(64);
    operands_[id] = input_operand(input, value);
    result_->inputs.push_back(std::move(input));
    return {};
  }

  static Operand literal_operand(const Value& value) {
    Operand operand;
    operand.type = value.type;
    const Halide::Type type = halide_type(value.type.dtype);
    const Expr literal = is_float(value.type.dtype)
                             ? constant_of(type, value.constant->to_doubles()[0])
                             : constant_of(type, value.constant->to_ints()[0]);
    operand.at = [literal](const Index&) { return literal; };
    return operand;
  }

  // Role, and for a constant its axis names and pack.
  void name_input(ComposedInput& input) {
    input.role = fmt::format("in_{}", next_input_++);
    if (!input.is_constant) return;
    auto [role, axes] = constant_role_of(graph_, group_, input.value);
    input.axes = std::move(axes);
    if (!role.empty()) {
      input.role = role;
      --next_input_;
    }
    for (const PackSpec& pack : result_->packs) {
      if (pack.role == input.role) input.pack = &pack;
    }
  }

  Status lay_out(ComposedInput& input, const Value& value) const {
    const std::vector<std::int64_t> dims = value.type.dims();
    if (input.pack) {
      Result<std::vector<std::int64_t>> extents = packed_extents(*input.pack, input.axes, dims);
      if (!extents) return fail(extents.error());
      std::int64_t stride = 1;
      for (const std::int64_t extent : *extents) {
        input.layout.dims.push_back({0, extent, stride});
        stride *= extent;
      }
      input.layout.bytes = stride * size_bytes(value.type.dtype);
      return {};
    }
    const Storage storage =
        input.is_constant ? dense_storage(value.type.rank()) : plan_.storage.at(input.value);
    input.layout = layout_of(storage, value.type, /*whole=*/true);
    return {};
  }

  // `whole`: the buffer covers the halo too (an input), else the interior (an output).
  static BufferLayout layout_of(const Storage& storage, const TensorType& type, bool whole) {
    return layout_of(storage, storage.order, type, whole);
  }

  static BufferLayout layout_of(const Storage& storage, const std::vector<int>& order,
                                const TensorType& type, bool whole) {
    BufferLayout layout;
    const std::vector<std::int64_t> dims = type.dims();
    const std::vector<std::int64_t> strides = strides_of(storage, dims);
    for (const int axis : order) {
      const auto a = static_cast<std::size_t>(axis);
      BufferLayout::Dim dim{0, dims[a], strides[a]};
      if (whole && a < storage.halo_low.size()) {
        dim.min = -storage.halo_low[a];
        dim.extent += storage.halo_low[a] + storage.halo_high[a];
      }
      layout.dims.push_back(dim);
    }
    const int element = size_bytes(type.dtype);
    layout.offset_bytes =
        (whole ? first_offset(storage, dims) : origin_offset(storage, dims)) * element;
    layout.bytes = stored_elements(storage, dims) * element;
    return layout;
  }

  Operand input_operand(const ComposedInput& input, const Value& value) const {
    Operand operand;
    operand.type = value.type;
    const Halide::ImageParam param = input.param;
    std::vector<int> order;
    if (input.pack) {
      operand.at = packed_read(param, *input.pack, input.axes);
      return operand;
    }
    const Storage storage =
        input.is_constant ? dense_storage(value.type.rank()) : plan_.storage.at(input.value);
    operand.halo_low = storage.halo_low;
    operand.halo_high = storage.halo_high;
    operand.halo_fill = storage.halo_fill;
    order = storage.order;
    operand.at = [param, order](const Index& index) -> Expr {
      std::vector<Expr> arguments;
      for (const int axis : order) arguments.push_back(index[static_cast<std::size_t>(axis)]);
      return param(arguments);
    };
    return operand;
  }

  static std::function<Expr(const Index&)> packed_read(const Halide::ImageParam& param,
                                                       const PackSpec& pack,
                                                       const std::vector<std::string>& axes) {
    return [param, pack, axes](const Index& index) -> Expr {
      std::vector<Expr> arguments;
      for (const PackSpec::Dim& dim : pack.dims) {
        const auto axis = std::find(axes.begin(), axes.end(), dim.axis) - axes.begin();
        Expr argument = index[static_cast<std::size_t>(axis)];
        if (dim.divisor > 1) argument = argument / static_cast<int>(dim.divisor);
        if (dim.modulus > 0) argument = argument % static_cast<int>(dim.modulus);
        arguments.push_back(argument);
      }
      return param(arguments);
    };
  }

  void build_node(const Node& node) {
    const Operator* op = find_operator(node.domain, node.type);
    FRIT_ASSERT(op != nullptr, "no operator for node " + node.name);
    const OpInstance instance = graph_.instance(node);
    std::vector<Operand> operands;
    for (const ValueId input : node.inputs) {
      operands.push_back(input == kNone ? Operand() : operands_.at(input));
    }
    const bool is_anchor = node.id == group_.anchor_node;
    past_anchor_ = past_anchor_ || is_anchor;
    std::string prefix;
    if (!is_anchor) {
      const bool epilogue = past_anchor_ || group_.anchor_node == kNone;
      prefix = epilogue ? fmt::format("epi_{}", next_epilogue_++)
                        : fmt::format("pre_{}", next_prologue_++);
    }
    const ValueId result = node.outputs.at(0);
    const TensorType& type = graph_.value(result).type;
    StageBuilder builder(axes_of(node, type.rank()), order_of(type.rank()), type.dims(), prefix,
                         "");
    op->build(instance, operands, builder);
    FRIT_ASSERT(!builder.stages().empty(), "operator " + node.type + " made no stage");
    for (std::unique_ptr<Stage>& stage : builder.stages()) {
      result_->stages.push_back(std::move(stage));
    }
    operands_[result] = stage_operand(*result_->stages.back(), type);
  }

  static Operand stage_operand(Stage& stage, const TensorType& type) {
    Operand operand;
    operand.type = type;
    operand.at = [&stage](const Index& index) -> Expr { return stage(index); };
    return operand;
  }

  // Nodes of the anchor's rank share its axis names; others are named by their own operator.
  std::vector<Var> axes_of(const Node& node, int rank) const {
    const Node* namer = &node;
    if (group_.anchor_node != kNone && past_anchor_) {
      const Node& anchor = graph_.node(group_.anchor_node);
      if (graph_.value(anchor.outputs[0]).type.rank() == rank) namer = &anchor;
    }
    std::vector<Var> axes;
    const Operator* op = find_operator(namer->domain, namer->type);
    for (const std::string& name : op->axis_names(graph_.instance(*namer))) axes.emplace_back(name);
    return axes;
  }

  // Halide dimension order of a stage: that of the group's output where the rank is the same.
  std::vector<int> order_of(int rank) const {
    const ValueId output = group_.outputs.at(0);
    const Storage& storage = plan_.storage.at(output);
    if (static_cast<int>(storage.order.size()) == rank) {
      return result_order(storage, graph_.value(output).type.dims());
    }
    return dense_storage(rank).order;
  }

  void add_output(ValueId id) {
    const Value& value = graph_.value(id);
    const Node& producer = graph_.node(value.producer);
    const Storage& storage = plan_.storage.at(id);
    auto stage = std::make_unique<Stage>();
    stage->role =
        group_.outputs.size() == 1 ? "out" : fmt::format("out_{}", result_->outputs.size());
    stage->func = Halide::Func(stage->role);
    stage->axes = axes_of(producer, value.type.rank());
    stage->order = result_order(storage, value.type.dims());
    stage->extents = value.type.dims();
    const Index index(stage->axes.begin(), stage->axes.end());
    (*stage)() = operands_.at(id).at(index);

    ComposedOutput output;
    output.value = id;
    output.func = stage->func;
    output.layout = layout_of(storage, stage->order, value.type, /*whole=*/false);
    for (std::size_t d = 0; d < output.layout.dims.size(); ++d) {
      const BufferLayout::Dim& dim = output.layout.dims[d];
      stage->func.output_buffer()
          .dim(static_cast<int>(d))
          .set_bounds(0, static_cast<int>(dim.extent))
          .set_stride(static_cast<int>(dim.stride));
    }
    result_->outputs.push_back(std::move(output));
    result_->stages.push_back(std::move(stage));
  }

  void finish_view() {
    PipelineView& view = result_->view;
    view.anchor = group_.anchor;
    view.facts = group_facts(graph_, plan_, group_);
    for (const std::unique_ptr<Stage>& stage : result_->stages) view.stages.push_back(stage.get());
    for (const ComposedInput& input : result_->inputs) {
      view.inputs.push_back({input.role, input.param, input.is_constant});
    }
  }

  const Graph& graph_;
  const Plan& plan_;
  const Group& group_;
  std::unique_ptr<Composed> result_;
  std::map<ValueId, Operand> operands_;
  int next_input_ = 0, next_prologue_ = 0, next_epilogue_ = 0;
  bool past_anchor_ = false;
};

}  // namespace

std::pair<std::string, std::vector<std::string>> constant_role_of(const Graph& graph,
                                                                  const Group& group,
                                                                  ValueId value) {
  if (group.anchor_node != kNone) {
    const Node& anchor = graph.node(group.anchor_node);
    const Operator* op = find_operator(anchor.domain, anchor.type);
    const OpInstance instance = graph.instance(anchor);
    for (std::size_t i = 0; i < anchor.inputs.size(); ++i) {
      if (anchor.inputs[i] != value) continue;
      const std::string role = op->constant_role(instance, i);
      if (!role.empty()) return {role, op->constant_axes(instance, i)};
    }
  }
  std::vector<std::string> axes;
  for (int axis = 0; axis < graph.value(value).type.rank(); ++axis) {
    axes.push_back("d" + std::to_string(axis));
  }
  return {"", axes};
}

bool is_literal(const Value& value) {
  if (!value.constant || value.constant->elements() != 1) return false;
  if (value.type.dtype == DType::kF16 || value.type.dtype == DType::kBF16) return false;
  if (is_storage_only(value.type.dtype)) return false;
  if (!is_float(value.type.dtype)) return true;
  const double number = value.constant->to_doubles()[0];
  return number != 0.0 && std::isfinite(number);
}

Facts group_facts(const Graph& graph, const Plan& plan, const Group& group) {
  const ValueId output = group.outputs.at(0);
  const std::vector<std::int64_t> dims = graph.value(output).type.dims();
  const Storage& storage = plan.storage.at(output);
  const std::vector<int> order = result_order(storage, dims);
  const auto innermost = dims.empty() ? 0 : static_cast<std::size_t>(order[0]);
  Facts facts;
  if (group.anchor_node != kNone) {
    const Node& anchor = graph.node(group.anchor_node);
    const Operator* op = find_operator(anchor.domain, anchor.type);
    const OpInstance instance = graph.instance(anchor);
    facts = op->facts(instance);
    // The output has the anchor's extents, so that its axes mean what their names say.
    facts["out_as_anchor"] = graph.value(anchor.outputs.at(0)).type.dims() == dims ? 1 : 0;
    const std::vector<std::string> names = op->axis_names(instance);
    if (names.size() == dims.size() && !names.empty()) facts["inner_" + names[innermost]] = 1;
    facts["const_w"] = facts["const_b"] = 0;
    for (const ValueId input : anchor.inputs) {
      if (input == kNone || !graph.value(input).constant || is_literal(graph.value(input))) {
        continue;
      }
      const std::string role = constant_role_of(graph, group, input).first;
      if (!role.empty()) facts["const_" + role] = 1;
    }
  }
  facts["out_count"] = static_cast<std::int64_t>(group.outputs.size());
  facts["out_elements"] = graph.value(output).type.elements();
  facts["out_rank"] = static_cast<std::int64_t>(dims.size());
  facts["inner"] = dims.empty() ? 1 : dims[innermost];
  facts["inner2"] = dims.size() < 2 ? 1 : dims[static_cast<std::size_t>(order[1])];
  facts["inner_axis_last"] = !dims.empty() && innermost + 1 == dims.size();
  facts["nodes"] = static_cast<std::int64_t>(group.nodes.size());
  const auto anchor = std::find(group.nodes.begin(), group.nodes.end(), group.anchor_node);
  facts["pre_nodes"] = anchor == group.nodes.end() ? 0 : anchor - group.nodes.begin();
  return facts;
}

Result<std::unique_ptr<Composed>> compose(const Graph& graph, const Plan& plan, const Group& group,
                                          const std::vector<PackSpec>& packs) {
  FRIT_ASSERT(!group.outputs.empty(), "group " + group.name + " has no output");
  return Composer(graph, plan, group, packs).run();
}

}  // namespace frit

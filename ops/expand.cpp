#include "ops/expand.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/broadcast.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

/// The list called `name`, from input 1 or the attribute of the canonical form.
Result<Ints> list_of(const OpInstance& op, const std::string& name) {
  if (!op.has_input(1) && has_attribute(op.attributes, name)) {
    return ints_attribute(op.attributes, name, {});
  }
  auto value = constant_input(op, 1, name);
  if (!value) return fail(std::move(value).error());
  if (!*value || is_float((*value)->dtype()) || (*value)->rank() != 1) {
    return fail(
        "onnx-type",
        fmt::format("{}: input 1 ({}) is {} but must be a list of integers; correct the model",
                    label(op), name, *value ? to_text((*value)->type()) : "absent"));
  }
  return (*value)->to_ints();
}

void keep_only(OpInstance& op, const std::string& name, Ints list) {
  op.attributes = {{name, std::move(list)}};
  op.inputs.resize(1);
  op.constants.resize(std::min<std::size_t>(op.constants.size(), 1));
}

class Expand final : public Operator {
 public:
  std::string_view type() const override { return "Expand"; }
  std::string_view formula() const override {
    return "out[i] = x[i], axes of extent 1 read at 0; extents broadcast both ways with shape";
  }
  const Attributes& attributes() const override { return no_attributes(); }
  int first_opset() const override { return 8; }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 2));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    auto shape = list_of(op, "shape");
    if (!shape) return fail(std::move(shape).error());
    const auto dims = broadcast_dims(op.input(0).dims(), *shape);
    if (!dims) {
      return fail("onnx-shape",
                  fmt::format("{}: its input {} does not broadcast with {}; correct the "
                              "shape or pass --shape",
                              label(op), to_text(op.input(0)), dims_text(*shape)));
    }
    FRIT_TRY(check_size(op, *dims));
    return std::vector{TensorType(op.input(0).dtype, *dims)};
  }

  Status canonicalise(OpInstance& op) const override {
    keep_only(op, "shape", op.outputs.at(0).dims());
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    stages.stage("")() = read_broadcast(operands[0], stages.index(), op.outputs.at(0).dims());
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

class Tile final : public Operator {
 public:
  std::string_view type() const override { return "Tile"; }
  std::string_view formula() const override {
    return "out[i] = x[i mod extent] on each axis, extents times repeats";
  }
  const Attributes& attributes() const override { return no_attributes(); }
  int first_opset() const override { return 6; }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 2));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    auto repeats = list_of(op, "repeats");
    if (!repeats) return fail(std::move(repeats).error());
    Ints dims = op.input(0).dims();
    const bool counts_valid = std::all_of(repeats->begin(), repeats->end(), [](auto count) {
      return count >= 0 && count <= kMaxExtent;
    });
    if (repeats->size() != dims.size() || !counts_valid) {
      return fail("onnx-shape",
                  fmt::format("{}: repeats is {} but its input {} needs one count from 0 "
                              "to {} for each axis; correct the model",
                              label(op), dims_text(*repeats), to_text(op.input(0)), kMaxExtent));
    }
    for (std::size_t axis = 0; axis < dims.size(); ++axis) dims[axis] *= (*repeats)[axis];
    FRIT_TRY(check_size(op, dims));
    return std::vector{TensorType(op.input(0).dtype, dims)};
  }

  Status canonicalise(OpInstance& op) const override {
    auto repeats = list_of(op, "repeats");
    if (!repeats) return fail(std::move(repeats).error());
    keep_only(op, "repeats", *std::move(repeats));
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Ints in = op.input(0).dims(), out = op.outputs.at(0).dims();
    Index at = stages.index();
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      if (in[axis] == out[axis] || in[axis] == 0) continue;
      at[axis] = in[axis] == 1 ? Halide::Expr(0) : at[axis] % static_cast<int>(in[axis]);
    }
    stages.stage("")() = operands[0].at(at);
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

}  // namespace

void add_expand(std::vector<const Operator*>& all) {
  static const Expand expand;
  static const Tile tile;
  all.insert(all.end(), {&expand, &tile});
}

}  // namespace frit

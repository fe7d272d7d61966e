#include "ops/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

std::int64_t stated_axis(const OpInstance& op) { return int_attribute(op.attributes, "axis", 0); }

Result<Ints> stated_sizes(const OpInstance& op) {
  if (!op.has_input(1)) return ints_attribute(op.attributes, "split", {});
  auto value = constant_input(op, 1, "split");
  if (!value) return fail(std::move(value).error());
  if (is_float((*value)->dtype()) || (*value)->rank() != 1) {
    return fail(
        "onnx-type",
        fmt::format("{}: input 1 (split) is {} but must be a list of integers; correct the model",
                    label(op), to_text((*value)->type())));
  }
  return (*value)->to_ints();
}

/// Extents of the parts along the axis, which is normal.
Result<Ints> sizes_of(const OpInstance& op, std::size_t axis) {
  const std::int64_t dim = op.input(0).dims()[axis];
  auto sizes = stated_sizes(op);
  if (!sizes) return fail(std::move(sizes).error());
  const auto refuse = [&](const std::string& why) {
    return fail("onnx-shape",
                fmt::format("{}: {} but axis {} of its input {} has {}; correct the model "
                            "or pass --shape",
                            label(op), why, axis, to_text(op.input(0)), dim));
  };
  if (!sizes->empty()) {
    std::int64_t total = 0;
    for (const std::int64_t size : *sizes) {
      if (size < 0)
        return refuse(fmt::format("its parts {} have a negative one", dims_text(*sizes)));
      total = std::min(total + std::min(size, kMaxExtent), kMaxElements);
    }
    if (total != dim)
      return refuse(
          fmt::format("its parts {} have {} elements together", dims_text(*sizes), total));
    return sizes;
  }
  const auto outputs = static_cast<std::int64_t>(op.outputs.size());
  const std::int64_t parts = int_attribute(op.attributes, "num_outputs", outputs);
  const bool uneven = has_attribute(op.attributes, "num_outputs");
  if (parts < 1 || parts > (1 << 16) || (!uneven && dim % parts != 0)) {
    return refuse(fmt::format("it has {} outputs of equal size", parts));
  }
  const std::int64_t size = (dim + parts - 1) / parts;
  if (size * (parts - 1) > dim) return refuse(fmt::format("it has {} outputs of {}", parts, size));
  Ints result(static_cast<std::size_t>(parts), size);
  result.back() = dim - size * (parts - 1);
  return result;
}

class Split final : public Operator {
 public:
  std::string_view type() const override { return "Split"; }
  std::string_view formula() const override {
    return "out_j[a,i,b] = x[a, offset_j + i, b], i along axis; sizes equal unless stated\n"
           "split: attribute before opset 13, then input; num_outputs from opset 18, last part may "
           "be smaller";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"axis", kInt}, {"num_outputs", kInt}, {"split", kInts}};
    return all;
  }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 2));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    const TensorType& in = op.input(0);
    const std::optional<int> axis = normal_axis(stated_axis(op), in.rank());
    if (!axis) {
      return fail("onnx-attribute", fmt::format("{}: axis is {} but its input is {}; correct the "
                                                "attribute",
                                                label(op), stated_axis(op), to_text(in)));
    }
    auto sizes = sizes_of(op, static_cast<std::size_t>(*axis));
    if (!sizes) return fail(std::move(sizes).error());
    if (!op.outputs.empty() && sizes->size() != op.outputs.size()) {
      return fail("onnx-shape",
                  fmt::format("{}: it has {} outputs but {} parts {}; correct the model", label(op),
                              op.outputs.size(), sizes->size(), dims_text(*sizes)));
    }
    std::vector<TensorType> outputs(sizes->size(), in);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i].shape[static_cast<std::size_t>(*axis)] = (*sizes)[i];
    }
    return outputs;
  }

  Status canonicalise(OpInstance& op) const override {
    const int axis = *normal_axis(stated_axis(op), op.input(0).rank());
    // Not from the outputs' types: an output that nobody reads may be left out, and has none.
    const auto sizes = sizes_of(op, static_cast<std::size_t>(axis));
    if (!sizes) return fail(sizes.error());
    op.attributes = {{"axis", std::int64_t{axis}}, {"split", *sizes}};
    op.inputs.resize(1);
    op.constants.resize(std::min<std::size_t>(op.constants.size(), 1));
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>&, StageBuilder&) const override {
    FRIT_ASSERT(false, label(op) + " was not replaced by slices before building");
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

}  // namespace

std::vector<OpInstance> split_as_slices(const OpInstance& split) {
  const auto axis = static_cast<std::size_t>(int_attribute(split.attributes, "axis", 0));
  const Ints dims = split.input(0).dims();
  std::vector<OpInstance> slices;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < split.outputs.size(); ++i) {
    OpInstance slice = split;
    slice.type = "Slice";
    slice.name = fmt::format("{}/{}", split.name, i);
    slice.outputs = {split.outputs[i]};
    Ints starts(dims.size(), 0), ends = dims;
    starts[axis] = offset;
    ends[axis] = offset += split.outputs[i].dims()[axis];
    slice.attributes = {{"starts", starts}, {"ends", ends}, {"steps", Ints(dims.size(), 1)}};
    slices.push_back(std::move(slice));
  }
  return slices;
}

void add_split(std::vector<const Operator*>& all) {
  static const Split split;
  all.push_back(&split);
}

}  // namespace frit

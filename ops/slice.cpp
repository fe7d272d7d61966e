#include "ops/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::Expr;
using Ints = std::vector<std::int64_t>;

/// Canonical parameters, one per axis of the input.
struct SliceRange {
  Ints starts, ends, steps;

  std::int64_t extent(std::size_t axis) const {
    const std::int64_t step = steps[axis], length = ends[axis] - starts[axis];
    const std::int64_t count = step > 0 ? (length + step - 1) / step : (length + step + 1) / step;
    return std::max<std::int64_t>(0, count);
  }
};

/// A parameter list, as input `i` from opset 10 on or as an attribute before; nullopt: absent.
Result<std::optional<Ints>> list_of(const OpInstance& op, std::size_t i, const std::string& name) {
  if (!op.has_input(i)) {
    if (!has_attribute(op.attributes, name)) return std::nullopt;
    return ints_attribute(op.attributes, name, {});
  }
  auto value = constant_input(op, i, name);
  if (!value) return fail(std::move(value).error());
  if (is_float((*value)->dtype()) || (*value)->rank() != 1) {
    return fail(
        "onnx-type",
        fmt::format("{}: input {} ({}) is {} but must be a list of integers; correct the model",
                    label(op), i, name, to_text((*value)->type())));
  }
  return (*value)->to_ints();
}

/// Start and end of one axis, clamped to what can be reached.
void clamp_range(std::int64_t dim, std::int64_t& start, std::int64_t& end, std::int64_t& step) {
  if (dim == 0) {
    start = end = 0;
    step = 1;
    return;
  }
  // A step past the axis takes one element whatever its size; a smaller one cannot overflow.
  step = std::clamp(step, -kMaxExtent, kMaxExtent);
  const std::int64_t least = step > 0 ? 0 : -1, most = step > 0 ? dim : dim - 1;
  start = std::clamp(start < 0 ? start + dim : start, std::int64_t{0}, most);
  end = std::clamp(end < 0 ? end + dim : end, least, most);
}

/// Whether all three lists fit the input's axes and every element picked lies inside them.
bool fits(const SliceRange& range, const Ints& dims) {
  for (const Ints* list : {&range.starts, &range.ends, &range.steps}) {
    const bool bounded = std::all_of(list->begin(), list->end(), [](auto value) {
      return value >= -kMaxExtent && value <= kMaxExtent;
    });
    if (list->size() != dims.size() || !bounded) return false;
  }
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    if (range.steps[axis] == 0) return false;
    const std::int64_t count = range.extent(axis), first = range.starts[axis];
    const std::int64_t last = first + (count - 1) * range.steps[axis];
    if (count > 0 && (std::min(first, last) < 0 || std::max(first, last) >= dims[axis]))
      return false;
  }
  return true;
}

Result<SliceRange> canonical_range(const OpInstance& op) {
  SliceRange range{ints_attribute(op.attributes, "starts", {}),
                   ints_attribute(op.attributes, "ends", {}),
                   ints_attribute(op.attributes, "steps", {})};
  if (fits(range, op.input(0).dims())) return range;
  return fail("onnx-attribute",
              fmt::format("{}: starts, ends and steps are {}, {}, {} but its input is {}; give one "
                          "value of each per axis, inside it",
                          label(op), dims_text(range.starts), dims_text(range.ends),
                          dims_text(range.steps), to_text(op.input(0))));
}

Result<SliceRange> range_of(const OpInstance& op) {
  const Ints dims = op.input(0).dims();
  SliceRange range{Ints(dims.size(), 0), dims, Ints(dims.size(), 1)};
  if (has_attribute(op.attributes, "steps")) return canonical_range(op);

  std::optional<Ints> lists[4];
  const char* names[] = {"starts", "ends", "axes", "steps"};
  for (std::size_t i = 0; i < 4; ++i) {
    auto list = list_of(op, i + 1, names[i]);
    if (!list) return fail(std::move(list).error());
    lists[i] = *std::move(list);
  }
  const auto& [starts, ends, axes, steps] = lists;
  const std::size_t count = starts ? starts->size() : 0;
  if (!starts || !ends || ends->size() != count || (axes && axes->size() != count) ||
      (steps && steps->size() != count) || count > dims.size()) {
    const auto text = [](const std::optional<Ints>& list) {
      return list ? dims_text(*list) : "absent";
    };
    return fail(
        "onnx-shape",
        fmt::format("{}: starts {}, ends {}, axes {} and steps {} must have the same length, at "
                    "most the rank of its input {}; correct the model",
                    label(op), text(starts), text(ends), text(axes), text(steps),
                    to_text(op.input(0))));
  }
  Ints all(count);
  std::iota(all.begin(), all.end(), 0);
  FRIT_TRY(normal_axes(op, axes.value_or(all), op.input(0).rank()).map([](const auto&) {}));
  for (std::size_t i = 0; i < count; ++i) {
    const auto axis =
        static_cast<std::size_t>(*normal_axis(axes ? (*axes)[i] : all[i], op.input(0).rank()));
    std::int64_t start = (*starts)[i], end = (*ends)[i], step = steps ? (*steps)[i] : 1;
    if (step == 0) {
      return fail("onnx-attribute", fmt::format("{}: its step of axis {} is 0, which never ends; "
                                                "correct the model",
                                                label(op), axis));
    }
    clamp_range(dims[axis], start, end, step);
    range.starts[axis] = start;
    range.ends[axis] = end;
    range.steps[axis] = step;
  }
  return range;
}

class Slice final : public Operator {
 public:
  std::string_view type() const override { return "Slice"; }
  std::string_view formula() const override {
    return "out[i] = x[start + i*step] on each axis of axes, start and end clamped, negative ones "
           "from the end\n"
           "before opset 10 attributes without steps, then inputs";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"axes", kInts}, {"ends", kInts, 10}, {"starts", kInts, 10}};
    return all;
  }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 5));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    auto range = range_of(op);
    if (!range) return fail(std::move(range).error());
    TensorType out = op.input(0);
    for (std::size_t axis = 0; axis < out.shape.size(); ++axis)
      out.shape[axis] = range->extent(axis);
    return std::vector{out};
  }

  Status canonicalise(OpInstance& op) const override {
    auto range = range_of(op);
    if (!range) return fail(std::move(range).error());
    op.attributes = {{"starts", range->starts}, {"ends", range->ends}, {"steps", range->steps}};
    op.inputs.resize(1);
    op.constants.resize(std::min<std::size_t>(op.constants.size(), 1));
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const auto range = range_of(op);
    FRIT_ASSERT(range.has_value(), "a slice that infer accepted");
    Index at = stages.index();
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const int start = static_cast<int>(range->starts[axis]),
                step = static_cast<int>(range->steps[axis]);
      if (step != 1) at[axis] = at[axis] * step;
      if (start != 0) at[axis] = at[axis] + start;
    }
    stages.stage("")() = operands[0].at(at);
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

}  // namespace

void add_slice(std::vector<const Operator*>& all) {
  static const Slice slice;
  all.push_back(&slice);
}

}  // namespace frit

#include "ops/reshape.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/reshape_index.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

/// The list called `name`: of input 1 where there is one, else of the attribute; nullopt: neither.
Result<std::optional<Ints>> list_of(const OpInstance& op, const std::string& name) {
  if (op.has_input(1)) {
    auto value = constant_input(op, 1, name);
    if (!value) return fail(std::move(value).error());
    if (is_float((*value)->dtype()) || (*value)->rank() > 1) {
      return fail(
          "onnx-type",
          fmt::format("{}: input 1 ({}) is {} but must be a list of integers; correct the model",
                      label(op), name, to_text((*value)->type())));
    }
    return (*value)->to_ints();
  }
  if (!has_attribute(op.attributes, name)) return std::nullopt;
  return ints_attribute(op.attributes, name, {});
}

/// What the five share: canonical form and index maths.
class ReshapeLike : public Operator {
 public:
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, most_inputs()));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    auto dims = result_dims(op);
    if (!dims) return fail(std::move(dims).error());
    FRIT_TRY(check_size(op, *dims));
    const TensorType& in = op.input(0);
    if (checked_elements(*dims) != in.elements()) {
      return fail("onnx-shape", fmt::format("{}: it turns {} ({} elements) into {} ({} elements); "
                                            "correct the shape or pass --shape",
                                            label(op), to_text(in), in.elements(), dims_text(*dims),
                                            checked_elements(*dims)));
    }
    return std::vector{TensorType(in.dtype, *dims)};
  }

  Status canonicalise(OpInstance& op) const override {
    op.type = "Reshape";
    const Ints shape = op.outputs.at(0).dims();
    op.attributes = {{"shape", shape}};
    // Without it, inferring once more would read an extent of 0 as "copy the input's".
    if (std::count(shape.begin(), shape.end(), 0) > 0) op.attributes["allowzero"] = std::int64_t{1};
    op.inputs.resize(1);
    op.constants.resize(std::min<std::size_t>(op.constants.size(), 1));
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const TensorType& out = op.outputs.at(0);
    const Index index = reshape_index(op.input(0).dims(), out.dims(), stages.index());
    const bool empty = out.elements() == 0;  // then the input has no element to read either
    stages.stage("")() =
        empty ? Halide::Internal::make_zero(halide_type(out.dtype)) : operands[0].at(index);
  }

  Counts counts(const OpInstance&) const override { return {}; }

 protected:
  virtual std::size_t most_inputs() const { return 2; }
  virtual Result<Ints> result_dims(const OpInstance& op) const = 0;
};

class Reshape final : public ReshapeLike {
 public:
  std::string_view type() const override { return "Reshape"; }
  std::string_view formula() const override {
    return "out = x in row-major order with other extents; 0 copies x's (unless allowzero), -1 is "
           "what is left";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"allowzero", kInt}};
    return all;
  }

 protected:
  Result<Ints> result_dims(const OpInstance& op) const override {
    auto list = list_of(op, "shape");
    if (!list) return fail(std::move(list).error());
    const Ints in = op.input(0).dims();
    const auto refuse = [&](const std::string& why) {
      return fail("onnx-shape",
                  fmt::format("{}: its shape {} {}; correct the shape or pass --shape", label(op),
                              *list ? dims_text(**list) : "is missing and", why));
    };
    if (!*list) return refuse("must be given as an input or an attribute");
    Ints dims = **list;
    const bool allow_zero = int_attribute(op.attributes, "allowzero", 0) != 0;
    std::optional<std::size_t> open;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      if (dims[axis] == 0 && !allow_zero) {
        if (axis >= in.size()) {
          return refuse(
              fmt::format("copies axis {} but its input is {}", axis, to_text(op.input(0))));
        }
        dims[axis] = in[axis];
      } else if (dims[axis] == -1) {
        if (open) return refuse("has -1 more than once");
        open = axis;
      } else if (dims[axis] < 0) {
        return refuse(fmt::format("holds {}", dims[axis]));
      }
    }
    if (!open) return dims;
    dims[*open] = 1;
    const std::int64_t known = checked_elements(dims), all = op.input(0).elements();
    if (known <= 0 || all % known != 0) {
      return refuse(fmt::format("leaves no whole extent for -1: its input is {}, {} elements",
                                to_text(op.input(0)), all));
    }
    dims[*open] = all / known;
    return dims;
  }
};

class Squeeze final : public ReshapeLike {
 public:
  std::string_view type() const override { return "Squeeze"; }
  std::string_view formula() const override {
    return "out = x without the axes of extent 1 that axes names (all where none are)\n"
           "axes: attribute before opset 13, then input";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"axes", kInts}};
    return all;
  }

 protected:
  Result<Ints> result_dims(const OpInstance& op) const override {
    const Ints in = op.input(0).dims();
    auto list = list_of(op, "axes");
    if (!list) return fail(std::move(list).error());
    Ints dims;
    if (!*list) {
      std::copy_if(in.begin(), in.end(), std::back_inserter(dims),
                   [](auto dim) { return dim != 1; });
      return dims;
    }
    auto axes = normal_axes(op, **list, op.input(0).rank());
    if (!axes) return fail(std::move(axes).error());
    for (std::size_t axis = 0; axis < in.size(); ++axis) {
      const bool removed = std::binary_search(axes->begin(), axes->end(), axis);
      if (!removed) {
        dims.push_back(in[axis]);
      } else if (in[axis] != 1) {
        return fail("onnx-shape",
                    fmt::format("{}: it removes axis {} but its input {} has {} elements "
                                "there, not 1; correct axes or pass --shape",
                                label(op), axis, to_text(op.input(0)), in[axis]));
      }
    }
    return dims;
  }
};

class Unsqueeze final : public ReshapeLike {
 public:
  std::string_view type() const override { return "Unsqueeze"; }
  std::string_view formula() const override {
    return "out = x with an axis of extent 1 at each of axes of the result\n"
           "axes: attribute before opset 13, then input";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"axes", kInts, 13}};
    return all;
  }

 protected:
  Result<Ints> result_dims(const OpInstance& op) const override {
    auto list = list_of(op, "axes");
    if (!list) return fail(std::move(list).error());
    if (!*list || (*list)->size() > 64) {
      return fail("onnx-attribute", fmt::format("{}: its axes {}; correct the model", label(op),
                                                *list ? "are more than 64" : "are missing"));
    }
    Ints dims = op.input(0).dims();
    auto axes = normal_axes(op, **list, static_cast<int>(dims.size() + (*list)->size()));
    if (!axes) return fail(std::move(axes).error());
    for (const std::int64_t axis : *axes) dims.insert(dims.begin() + axis, 1);
    return dims;
  }
};

class Flatten final : public ReshapeLike {
 public:
  std::string_view type() const override { return "Flatten"; }
  std::string_view formula() const override {
    return "out[i,j] = x in row-major order, i over the axes before axis, j over the rest";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"axis", kInt}};
    return all;
  }

 protected:
  std::size_t most_inputs() const override { return 1; }
  Result<Ints> result_dims(const OpInstance& op) const override {
    const Ints in = op.input(0).dims();
    const auto rank = static_cast<std::int64_t>(in.size());
    const std::int64_t axis = int_attribute(op.attributes, "axis", 1);
    if (axis < -rank || axis > rank) {
      return fail("onnx-attribute",
                  fmt::format("{}: axis is {} but its input {} allows {} to {}; "
                              "correct the attribute",
                              label(op), axis, to_text(op.input(0)), -rank, rank));
    }
    const auto cut = in.begin() + (axis < 0 ? axis + rank : axis);
    return Ints{checked_elements({in.begin(), cut}), checked_elements({cut, in.end()})};
  }
};

}  // namespace

void add_reshape(std::vector<const Operator*>& all) {
  static const Flatten flatten;
  static const Reshape reshape;
  static const Squeeze squeeze;
  static const Unsqueeze unsqueeze;
  all.insert(all.end(), {&flatten, &reshape, &squeeze, &unsqueeze});
}

}  // namespace frit

// MaxUnpool: values put back where MaxPool found them, zeros elsewhere.
//
// Stage "flat" holds the whole result of the inferred shape as one axis: zeros, then one update
// that writes each value at its index. Indices count through that shape; those outside are skipped.
// A larger output_shape pads with zeros at the end of each axis.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/operator.h"
#include "ops/rules.h"
#include "ops/window.h"

namespace frit {
namespace {

using Halide::Expr;
using Halide::Var;
using Ints = std::vector<std::int64_t>;

struct UnpoolSpec {
  Ints inferred, out;
};

Result<UnpoolSpec> unpool_spec_of(const OpInstance& op) {
  const Ints kernel = ints_attribute(op.attributes, "kernel_shape", {});
  FRIT_TRY(check_spatial(op, kernel));
  const std::size_t rank = kernel.size();
  auto strides = spatial_list(op, "strides", rank, 1, 1),
       pads = spatial_list(op, "pads", 2 * rank, 0, 0);
  if (!strides) return fail(std::move(strides).error());
  if (!pads) return fail(std::move(pads).error());
  UnpoolSpec spec;
  spec.inferred = op.input(0).dims();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    std::int64_t& extent = spec.inferred[axis + 2];
    extent = (extent - 1) * (*strides)[axis] + kernel[axis] - (*pads)[axis] - (*pads)[rank + axis];
  }
  FRIT_TRY(check_size(op, spec.inferred));
  spec.out = ints_attribute(op.attributes, "output_shape", spec.inferred);
  auto stated = integer_input(op, 2, "its output_shape");
  if (!stated) return fail(std::move(stated).error());
  if (*stated) spec.out = (*stated)->to_ints();
  bool fits = spec.out.size() == spec.inferred.size();
  for (std::size_t axis = 0; fits && axis < spec.out.size(); ++axis) {
    fits = axis < 2 ? spec.out[axis] == spec.inferred[axis] : spec.out[axis] >= spec.inferred[axis];
  }
  if (!fits) {
    return fail("onnx-shape",
                fmt::format("{}: its output_shape is {} but its kernel, strides and pads make {}, "
                            "which it must not cut; correct the model",
                            label(op), dims_text(spec.out), dims_text(spec.inferred)));
  }
  FRIT_TRY(check_size(op, spec.out));
  return spec;
}

/// Opsets 9, 11 and 22.
class MaxUnpool final : public Operator {
 public:
  std::string_view type() const override { return "MaxUnpool"; }
  std::string_view formula() const override {
    return "out = 0, then for all i: out[indices[i]] = x[i], indices through flat out";
  }
  int first_opset() const override { return 9; }
  OpKind kind(const OpInstance&) const override { return OpKind::kOpaque; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"kernel_shape", AttributeKind::kInts, kAlways},
                                   {"pads", AttributeKind::kInts},
                                   {"strides", AttributeKind::kInts}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    constexpr std::array kIndices = {DType::kI64};
    FRIT_TRY(check_inputs(op, 2, 3));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    FRIT_TRY(check_dtype(op, 1, "its indices", kIndices));
    auto spec = unpool_spec_of(op);
    if (!spec) return fail(std::move(spec).error());
    if (op.input(1).dims() != op.input(0).dims()) {
      return fail("onnx-shape", fmt::format("{}: its input is {} but its indices are {}; both need "
                                            "one shape: correct the model",
                                            label(op), to_text(op.input(0)), to_text(op.input(1))));
    }
    return std::vector{TensorType(op.input(0).dtype, spec->out)};
  }

  Status canonicalise(OpInstance& op) const override {
    op.attributes["output_shape"] = unpool_spec_of(op)->out;
    op.inputs.resize(2);
    op.constants.resize(2);
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const UnpoolSpec spec = *unpool_spec_of(op);
    const Expr zero = Halide::Internal::make_zero(halide_type(op.outputs.at(0).dtype));
    const Ints dims = op.input(0).dims();
    const std::int64_t total = checked_elements(spec.inferred);
    if (total == 0 || op.input(0).elements() == 0) {
      stages.stage("")() = zero;
      return;
    }
    const Var i("i");
    Stage& flat = stages.stage_own("flat", {i}, {0}, {total});
    flat() = zero;
    std::vector<std::string> names;  // innermost first
    for (std::size_t axis = dims.size(); axis-- > 0;) names.push_back(fmt::format("r{}", axis));
    Halide::RDom r = reduction_domain(names, {dims.rbegin(), dims.rend()}, flat.reduction);
    Index from;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      from.emplace_back(flat.reduction.at(fmt::format("r{}", axis)));
    }
    const Expr place = operands[1].at(from);
    const Halide::Type wide = place.type();
    r.where(place >= constant_of(wide, std::int64_t{0}) && place < constant_of(wide, total));
    flat({Halide::clamp(Halide::cast<int>(place), 0, static_cast<int>(total) - 1)}) =
        operands[0].at(from);

    const Index out = stages.index();
    Expr at = 0, inside;
    for (std::size_t axis = 0; axis < out.size(); ++axis) {
      const auto extent = static_cast<int>(spec.inferred[axis]);
      Expr along = out[axis];
      if (spec.out[axis] != spec.inferred[axis]) {
        inside = inside.defined() ? inside && along < extent : along < extent;
        along = Halide::min(along, extent - 1);
      }
      at = at * extent + along;
    }
    const Expr value = flat({at});
    stages.stage("")() = inside.defined() ? Halide::select(inside, value, zero) : value;
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

}  // namespace

void add_max_unpool(std::vector<const Operator*>& all) { all.push_back(new MaxUnpool); }

}  // namespace frit

// Scatter, ScatterElements, ScatterND: a copy, into which updates are written one after another.
//
//   ScatterElements  out[j with indices[j] in place of coordinate `axis`] = f(that, updates[j])
//   ScatterND        out[indices[j…, :], k…] = f(that, updates[j…, k…])
//
// f is the update itself, or +, *, max, min. Updates come in row-major order of j, so that of equal
// indices the last one stands, and sums have one order at every number of threads. The loop over
// updates is therefore never parallel, and the whole result is computed before it is read.
#include <fmt/format.h>

#include <algorithm>

#include "ops/arithmetic.h"
#include "ops/halide_type.h"
#include "ops/indices.h"
#include "ops/limits.h"
#include "ops/operator.h"
#include "ops/rules.h"
#include "ops/whole.h"

namespace frit {
namespace {

using Halide::Expr;
using Ints = std::vector<std::int64_t>;

std::string reduction_of(const OpInstance& op) {
  return string_attribute(op.attributes, "reduction", "none");
}

Expr combined(const std::string& how, const Expr& old, const Expr& update) {
  if (how == "none") return update;
  const bool logical = old.type().is_bool();
  if (how == "add") return logical ? old || update : old + update;
  if (how == "mul") return logical ? old && update : old * update;
  if (how == "max") return logical ? old || update : math::maximum(old, update);
  return logical ? old && update : math::minimum(old, update);
}

/// Stages "acc" and, for narrow floats that are summed, "res".
void build_scatter(const OpInstance& op, const std::vector<Operand>& operands, StageBuilder& stages,
                   const std::function<Index(const Index& update)>& place) {
  const std::string how = reduction_of(op);
  const Halide::Type type = halide_type(op.input(0).dtype);
  const Halide::Type wide = how == "none" ? type : compute_type(type);
  Stage& acc = stages.stage("acc");
  acc() = Halide::cast(wide, operands[0].at(stages.index()));
  compute_whole(acc);
  const TensorType& updates = op.input(2);
  if (updates.elements() > 0 && op.input(0).elements() > 0) {
    const Ints dims = updates.dims();
    std::vector<std::string> names;
    Ints extents;
    for (std::size_t axis = dims.size(); axis-- > 0;) {  // innermost loop first
      names.push_back(fmt::format("r{}", axis));
      extents.push_back(dims[axis]);
    }
    if (!names.empty()) reduction_domain(names, extents, acc.reduction);
    Index from;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      from.emplace_back(acc.reduction.at(fmt::format("r{}", axis)));
    }
    const Index to = place(from);
    acc(to) = combined(how, acc(to), Halide::cast(wide, operands[2].at(from)));
  }
  if (wide != type) stages.stage("res")() = Halide::cast(type, acc(stages.index()));
}

class Scattering : public Operator {
 public:
  OpKind kind(const OpInstance&) const override { return OpKind::kOpaque; }
  Counts counts(const OpInstance& op) const override {
    return {reduction_of(op) == "none" ? 0 : op.input(2).elements(), 0};
  }

 protected:
  static Status check(const OpInstance& op, int reduction_from) {
    FRIT_TRY(check_inputs(op, 3, 3));
    FRIT_TRY(check_dtype(op, 1, "its indices", index_types()));
    FRIT_TRY(check_same_dtype(op, 0, 2));
    for (std::size_t i = 0; i < 3; ++i) {
      FRIT_TRY(check_constant_shape(op, i, fmt::format("input {}", i)));
    }
    const std::string how = reduction_of(op);
    const bool known = how == "none" ||
                       (op.opset >= reduction_from && (how == "add" || how == "mul")) ||
                       (op.opset >= 18 && (how == "max" || how == "min"));
    if (known) return {};
    return fail(
        "onnx-attribute",
        fmt::format("{}: reduction is \"{}\" at opset {}; there are none, from opset {} add "
                    "and mul, from opset 18 max and min",
                    label(op), how, op.opset, reduction_from));
  }
};

class ScatterElements final : public Scattering {
 public:
  explicit ScatterElements(std::string_view type, int first_opset)
      : type_(type), first_opset_(first_opset) {}

  std::string_view type() const override { return type_; }
  std::string_view formula() const override {
    return "out = data, then for all u: out[u, with indices[u] for coordinate axis] = updates[u]\n"
           "reduction: = is += *= from opset 16, or becomes the max or min of both from opset 18";
  }
  int first_opset() const override { return first_opset_; }
  const Attributes& attributes() const override {
    static const Attributes old = {{"axis", AttributeKind::kInt}};
    static const Attributes all = {{"axis", AttributeKind::kInt},
                                   {"reduction", AttributeKind::kString}};
    return type_ == "Scatter" ? old : all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check(op, 16));
    const auto axis = axis_attribute(op, 0);
    if (!axis) return fail(axis.error());
    const Ints dims = op.input(0).dims(), picked = op.input(1).dims();
    bool fits = dims.size() == picked.size() && op.input(2).dims() == picked;
    for (std::size_t a = 0; fits && a < dims.size(); ++a) {
      fits = a == *axis ? dims[a] > 0 || op.input(1).elements() == 0 : picked[a] <= dims[a];
    }
    if (!fits) {
      return fail("onnx-shape",
                  fmt::format("{}: its indices and updates are {} and {} but its input is {}; they "
                              "must be alike and, but for axis {}, fit into the input",
                              label(op), to_text(op.input(1)), to_text(op.input(2)),
                              to_text(op.input(0)), *axis));
    }
    FRIT_TRY(check_known_indices(op, 1, *axis));
    return std::vector{op.input(0)};
  }

  Status canonicalise(OpInstance& op) const override {
    const std::string how = reduction_of(op);
    op.type = "ScatterElements";
    op.attributes = {{"axis", static_cast<std::int64_t>(*axis_attribute(op, 0))},
                     {"reduction", how}};
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const std::size_t axis = *axis_attribute(op, 0);
    const std::int64_t dim = op.input(0).dims()[axis];
    build_scatter(op, operands, stages, [&](const Index& update) {
      Index to = update;
      to[axis] = position_in(operands[1].at(update), dim);
      return to;
    });
  }

 private:
  std::string_view type_;
  int first_opset_;
};

class ScatterND final : public Scattering {
 public:
  std::string_view type() const override { return "ScatterND"; }
  std::string_view formula() const override {
    return "out = data, then for all j, k: out[indices[j,:], k] = updates[j,k]\n"
           "reduction: = is += *= from opset 16, or becomes the max or min of both from opset 18";
  }
  int first_opset() const override { return 11; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"reduction", AttributeKind::kString}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check(op, 16));
    const Ints dims = op.input(0).dims(), picked = op.input(1).dims();
    const std::int64_t tuple = picked.empty() ? 0 : picked.back();
    if (tuple >= 1 && tuple <= static_cast<std::int64_t>(dims.size())) {
      Ints wanted(picked.begin(), picked.end() - 1);
      wanted.insert(wanted.end(), dims.begin() + tuple, dims.end());
      const bool empty = std::count(dims.begin(), dims.begin() + tuple, 0) > 0;
      if (op.input(2).dims() == wanted && !(empty && checked_elements(wanted) > 0)) {
        FRIT_TRY(check_known_indices(op, 1, 0, static_cast<std::size_t>(tuple)));
        return std::vector{op.input(0)};
      }
    }
    return fail(
        "onnx-shape",
        fmt::format("{}: its indices are {} and its updates {} but its input is {}; updates "
                    "must have the indices' extents but the last, then the input's axes "
                    "after those indexed",
                    label(op), to_text(op.input(1)), to_text(op.input(2)), to_text(op.input(0))));
  }

  Status canonicalise(OpInstance& op) const override {
    op.attributes = {{"reduction", reduction_of(op)}};
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Ints dims = op.input(0).dims();
    const std::ptrdiff_t prefix = op.input(1).rank() - 1;
    const std::int64_t tuple = op.input(1).dims().back();
    build_scatter(op, operands, stages, [&](const Index& update) {
      Index to;
      for (std::int64_t j = 0; j < tuple; ++j) {
        Index at(update.begin(), update.begin() + prefix);
        at.emplace_back(static_cast<int>(j));
        to.push_back(position_in(operands[1].at(at), dims[static_cast<std::size_t>(j)]));
      }
      to.insert(to.end(), update.begin() + prefix, update.end());
      return to;
    });
  }
};

}  // namespace

void add_scatter(std::vector<const Operator*>& all) {
  all.push_back(new ScatterElements("Scatter", 9));
  all.push_back(new ScatterElements("ScatterElements", 11));
  all.push_back(new ScatterND);
}

}  // namespace frit

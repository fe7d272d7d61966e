// TopK: the k largest or smallest along an axis, in order; of equals the lower index first.
//
//   i = TopKIndices(x), values = GatherElements(x, i)
//
// TopKIndices, frit's own, copies its input to rows of integer keys and asks runtime/topk.c for the
// best of each row. NaN counts as above +inf, and -0 equals +0.
#include <fmt/format.h>

#include "ops/halide_type.h"
#include "ops/indices.h"
#include "ops/limits.h"
#include "ops/operator.h"
#include "ops/rules.h"
#include "ops/sort_key.h"
#include "ops/whole.h"

namespace frit {
namespace {

using Halide::Expr;
using Halide::Var;
using Ints = std::vector<std::int64_t>;

/// Number of the row (all axes but `axis`) that holds an index.
Expr row_of(const Index& index, const Ints& dims, std::size_t axis) {
  Expr row = 0;
  for (std::size_t a = 0; a < dims.size(); ++a) {
    if (a != axis && dims[a] > 1) row = row * static_cast<int>(dims[a]) + index[a];
  }
  return row;
}

/// The index of element `place` of a row.
Index index_in(Expr row, const Expr& place, const Ints& dims, std::size_t axis) {
  Index index(dims.size(), Expr(0));
  index[axis] = place;
  std::size_t outermost = 0;
  while (outermost < dims.size() && (outermost == axis || dims[outermost] == 1)) ++outermost;
  for (std::size_t a = dims.size(); a-- > 0;) {
    if (a == axis || dims[a] == 1) continue;
    const int extent = static_cast<int>(dims[a]);
    index[a] = a == outermost ? row : row % extent;
    row = row / extent;
  }
  return index;
}

class TopKIndices final : public Operator {
 public:
  std::string_view type() const override { return "TopKIndices"; }
  std::string_view formula() const override {
    return "out[a,j,b] = index of the j-th largest (smallest) of x[a,:,b] along axis; of equals "
           "the lower first";
  }
  std::string_view domain() const override { return "frit"; }
  OpKind kind(const OpInstance&) const override { return OpKind::kOpaque; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", AttributeKind::kInt},
                                   {"k", AttributeKind::kInt},
                                   {"largest", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", numeric_types()));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    const auto axis = axis_attribute(op, -1);
    if (!axis) return fail(axis.error());
    Ints dims = op.input(0).dims();
    const std::int64_t k = int_attribute(op.attributes, "k", 0);
    if (k < 0 || k > dims[*axis]) {
      return fail("onnx-shape",
                  fmt::format("{}: it asks for {} elements of axis {} of its input {}, "
                              "which has {}; correct k",
                              label(op), k, *axis, to_text(op.input(0)), dims[*axis]));
    }
    dims[*axis] = k;
    return std::vector{TensorType(DType::kI64, dims)};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const std::size_t axis = *axis_attribute(op, -1);
    const Ints dims = op.input(0).dims();
    const std::int64_t n = dims[axis];
    if (op.outputs.at(0).elements() == 0) {
      stages.stage("")() = Halide::cast<std::int64_t>(0);
      return;
    }
    const std::int64_t rows = op.input(0).elements() / n;

    const Var row("row"), place("place");
    Stage& keys = stages.stage_own("keys", {row, place}, {1, 0}, {rows, n});
    const Expr key = math::sort_key(operands[0].at(index_in(row, place, dims, axis)), true);
    const bool largest = int_attribute(op.attributes, "largest", 1) != 0;
    keys() = largest ? key : ~key;
    compute_whole(keys);

    // No stage that schedules know: it has no loops of its own.
    Halide::Func order(keys.func.name() + "_order");
    order.define_extern("frit_topk", {keys.func, Expr(static_cast<int>(n))}, Halide::Int(32),
                        {place, row}, Halide::NameMangling::C);
    order.compute_root()
        .bound(place, 0, static_cast<int>(int_attribute(op.attributes, "k", 0)))
        .bound(row, 0, static_cast<int>(rows));

    const Index out = stages.index();
    stages.stage("")() = Halide::cast<std::int64_t>(order(out[axis], row_of(out, dims, axis)));
  }

  Counts counts(const OpInstance& op) const override { return {op.input(0).elements(), 0}; }
};

class TopK final : public Composite {
 public:
  std::string_view type() const override { return "TopK"; }
  std::string_view formula() const override {
    return "values[a,j,b], indices[a,j,b] = the j-th largest (largest 0: smallest) of x[a,:,b] "
           "along axis, and its index\n"
           "of equals the lower index first; NaN above +inf; k: attribute before opset 10, then "
           "input";
  }
  const Attributes& attributes() const override {
    static const Attributes all = {
        {"axis", AttributeKind::kInt},
        {"k", AttributeKind::kInt, 10},  // then an input
        {"largest", AttributeKind::kInt},
        {"sorted", AttributeKind::kInt}};  // unsorted: sorted is one of the orders allowed
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, op.opset < 10 ? 1 : 2));
    FRIT_TRY(check_dtype(op, 0, "its input", op.opset < 11 ? float_types() : numeric_types()));
    const auto k = stated_k(op);
    if (!k) return fail(k.error());
    const auto indices = TopKIndices().infer(as_indices(op, *k));
    if (!indices) return fail(indices.error());
    TensorType values = (*indices)[0];
    values.dtype = op.input(0).dtype;
    return std::vector{values, (*indices)[0]};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ref x = to.input(0);
    const std::int64_t k = *stated_k(op);
    const OpInstance how = as_indices(op, k);
    const std::int64_t axis = int_attribute(how.attributes, "axis", -1);
    // One NaN rule for both: the largest is what ArgMax finds, by reductions that vectorise.
    const bool first = k == 1 && int_attribute(how.attributes, "largest", 1) != 0;
    const Ref indices = first ? to.node("ArgMax", {x}, {{"axis", axis}})
                              : to.node("TopKIndices", {x}, how.attributes, "frit");
    to.output(0, to.node("GatherElements", {x, indices}, {{"axis", axis}}));
    to.output(1, indices);
    return to.status();
  }

 private:
  static OpInstance as_indices(const OpInstance& op, std::int64_t k) {
    OpInstance indices = op;
    indices.inputs.resize(1);
    indices.constants.resize(1);
    const std::int64_t largest = op.opset < 11 ? 1 : int_attribute(op.attributes, "largest", 1);
    indices.attributes = {
        {"axis", int_attribute(op.attributes, "axis", -1)}, {"k", k}, {"largest", largest}};
    return indices;
  }

  static Result<std::int64_t> stated_k(const OpInstance& op) {
    if (op.opset < 10) return int_attribute(op.attributes, "k", -1);
    const auto k = integer_input(op, 1, "k");
    if (!k) return fail(k.error());
    if (*k != nullptr && (*k)->elements() == 1) return (*k)->to_ints()[0];
    return fail("onnx-shape",
                fmt::format("{}: k is {} but must be one number; correct the model", label(op),
                            op.has_input(1) ? to_text(op.input(1)) : "absent"));
  }
};

}  // namespace

void add_topk(std::vector<const Operator*>& all) {
  all.push_back(new TopK);
  all.push_back(new TopKIndices);
}

}  // namespace frit

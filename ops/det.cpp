// Det: determinants of square matrices by Gaussian elimination with partial pivoting.
//
// One Func holds the matrix and two scratch rows, and one update walks steps k, then "slots", then
// columns, in that order, which Halide keeps since later iterations read what earlier ones wrote:
//   slot 0      column j >= k looks for the pivot: scratch[0,0] = row of the largest |a[.,k]|
//   slots 1-3   row k changes places with the pivot's row, by way of scratch row 1
//   slot 4      which turns the sign, scratch[0,1]
//   slots 5 …   row i = slot - 5 > k: a[i,j] -= a[i,k] / a[k,k] a[k,j], from j = n-1 down to k
// n^2 (n + 5) steps of a few loads.
#include <fmt/format.h>

#include "ops/arithmetic.h"
#include "ops/operator.h"
#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::select;
using Halide::Var;

/// Opset 11.
class Det final : public Operator {
 public:
  std::string_view type() const override { return "Det"; }
  std::string_view formula() const override { return "out[b] = det x[b,:,:]"; }
  int first_opset() const override { return 11; }
  OpKind kind(const OpInstance&) const override { return OpKind::kOpaque; }
  const Attributes& attributes() const override { return no_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    std::vector<std::int64_t> dims = op.input(0).dims();
    if (dims.size() < 2 || dims.back() != dims[dims.size() - 2]) {
      return fail("onnx-shape", fmt::format("{}: its input is {} but must be square matrices "
                                            "[…,n,n]; correct the model",
                                            label(op), to_text(op.input(0))));
    }
    dims.resize(dims.size() - 2);
    return std::vector{TensorType(op.input(0).dtype, dims)};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Halide::Type type = halide_type(op.outputs.at(0).dtype);
    const std::int64_t n = op.input(0).dims().back();
    if (n == 0 || op.outputs.at(0).elements() == 0) {
      stages.stage("")() = constant_of(type, 1.0);  // the empty product
      return;
    }
    const Stage& reduced = eliminated(op, operands[0], stages);
    const Halide::Type wide = compute_type(type);
    // The sign, then the diagonal.
    Stage& acc = stages.stage("acc");
    reduction_domain({"i"}, {n}, acc.reduction);
    const Expr i = acc.reduction.at("i");
    Index sign = stages.index(), at = sign;
    sign.insert(sign.end(), {static_cast<int>(n), 1});
    at.insert(at.end(), {i, i});
    acc() = reduced(sign);
    acc() *= reduced(at);
    if (wide == type) return;
    const Expr value = acc();
    stages.stage("narrow")() = cast(type, value);
  }

  Counts counts(const OpInstance& op) const override {
    const std::int64_t n = op.input(0).dims().back();
    return {op.input(0).elements() * 2 * (n + 5), 0};
  }

 private:
  static Stage& eliminated(const OpInstance& op, const Operand& in, StageBuilder& stages) {
    const auto n = static_cast<int>(op.input(0).dims().back());
    const Halide::Type wide = compute_type(halide_type(op.input(0).dtype));
    std::vector<Var> axes = stages.axes();
    std::vector<std::int64_t> extents = stages.extents();
    const Var row("row"), column("column");
    axes.insert(axes.end(), {row, column});
    const std::int64_t columns = std::max(n, 2);
    extents.insert(extents.end(), {n + 2, columns});
    std::vector<int> order;
    for (std::size_t a = axes.size(); a-- > 0;) order.push_back(static_cast<int>(a));
    Stage& m = stages.stage_own("lu", axes, order, extents);
    const auto with = [&](const Expr& r, const Expr& c) {
      Index at = stages.index();
      at.insert(at.end(), {r, c});
      return at;
    };
    const auto number = [&](double value) { return constant_of(wide, value); };
    const Expr held =
        cast(wide, in.at(with(Halide::clamp(row, 0, n - 1), Halide::clamp(column, 0, n - 1))));
    m() = select(row < n && column < n, held, row == n && column == 1, number(1.0), number(0.0));

    reduction_domain({"j", "slot", "k"}, {n, n + 5, n}, m.reduction);
    const Expr k = m.reduction.at("k"), slot = m.reduction.at("slot"), j = m.reduction.at("j");
    // Elimination goes from the last column down to k, which holds the factor.
    const Expr back = n - 1 - j;
    const Expr i = Halide::clamp(slot - 5, 0, n - 1);
    const Expr pivot = Halide::clamp(math::convert(Halide::Int(32), Expr(m(with(n, 0)))), 0, n - 1);
    const Expr finds = slot == 0, saves = slot == 1, lifts = slot == 2, drops = slot == 3,
               turns = slot == 4;
    const Expr target_row = select(finds || turns, n, saves, n + 1, lifts, k, drops, pivot, i);
    const Expr target_column = select(finds, 0, turns, 1, slot < 4, j, back);

    const Expr here = m(with(j, k)), best = m(with(pivot, k));
    const Expr larger =
        j == k || (j > k && (math::strict_less(math::absolute(best), math::absolute(here)) ||
                             math::is_nan(here)));
    const Expr found = select(larger, cast(wide, j), Expr(m(with(n, 0))));
    const Expr factor = Expr(m(with(i, k))) / Expr(m(with(k, k)));
    const Expr entry = m(with(i, back));
    // A column of zeros below and on the diagonal: nothing to eliminate, the product is 0.
    const Expr works = i > k && back >= k && !math::strict_equal(m(with(k, k)), number(0.0));
    const Expr less = select(works, entry - factor * Expr(m(with(k, back))), entry);
    const Expr sign = m(with(n, 1));
    const Expr turned = select(j == 0 && pivot != k, -sign, sign);
    m(with(target_row, target_column)) =
        select(finds, found, saves, Expr(m(with(k, j))), lifts, Expr(m(with(pivot, j))), drops,
               Expr(m(with(n + 1, j))), turns, turned, less);
    return m;
  }
};

}  // namespace

void add_det(std::vector<const Operator*>& all) { all.push_back(new Det); }

}  // namespace frit

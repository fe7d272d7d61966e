// Einsum by Transpose, Reshape, ReduceSum, Mul and MatMul.
//
// Operands are contracted two at a time, the pair with the least products first. Before, an
// operand's repeated labels are cut to their diagonal, axes of extent 1 that others stretch are
// dropped, and labels of it alone are summed. A pair without labels to sum over is a Mul of both
// stretched; any other a MatMul of [batch, left, summed] and [batch, summed, right], as groups of
// labels. float16 and bfloat16 go through float32 where there is more than one step that rounds.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "ops/einsum_equation.h"
#include "ops/limits.h"
#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

struct Term {
  Ref value;
  EinsumLabels labels;  ///< each once
  bool has(int one) const { return std::find(labels.begin(), labels.end(), one) != labels.end(); }
};

class Contraction {
 public:
  Contraction(const EinsumEquation& equation, Expansion& to) : equation_(equation), to_(to) {}

  Ref run() {
    const DType dtype = to_.type(to_.input(0)).dtype;
    const DType wide = wide_type(dtype);
    for (std::size_t i = 0; i < equation_.operands.size(); ++i) {
      terms_.push_back(prepared(cast(to_.input(i), wide), equation_.operands[i]));
    }
    while (terms_.size() > 1) contract_cheapest();
    const Term last = summed(terms_[0], equation_.result);
    return cast(ordered(last, equation_.result), dtype);
  }

 private:
  /// The type to compute in: one that MatMul has, and that rounds once.
  DType wide_type(DType dtype) const {
    switch (dtype) {
      case DType::kI8:
      case DType::kI16:
        return DType::kI32;
      case DType::kU8:
      case DType::kU16:
        return DType::kU32;
      case DType::kF16:
      case DType::kBF16:
        return equation_.operands.size() > 1 ? DType::kF32 : dtype;
      default:
        return dtype;
    }
  }

  Ref cast(Ref x, DType dtype) {
    if (to_.type(x).dtype == dtype) return x;
    return to_.node("Cast", {x}, {{"to", onnx_number(dtype)}});
  }

  Ref reshape(Ref x, const Ints& dims) {
    if (to_.dims(x) == dims) return x;
    return to_.node("Reshape", {x, to_.ints(dims)}, {{"allowzero", std::int64_t{1}}});
  }

  Ref transpose(Ref x, const Ints& perm) {
    if (std::is_sorted(perm.begin(), perm.end())) return x;
    return to_.node("Transpose", {x}, {{"perm", perm}});
  }

  std::int64_t extent(int one) const { return equation_.extents.at(one); }
  Ints extents(const EinsumLabels& labels) const {
    Ints dims;
    for (const int one : labels) dims.push_back(extent(one));
    return dims;
  }
  std::int64_t product(const EinsumLabels& labels) const {
    std::int64_t all = 1;
    for (const int one : labels) all *= extent(one);
    return all;
  }

  /// Each label once and of its full extent.
  Term prepared(Ref x, EinsumLabels labels) {
    for (std::size_t axis = 0; axis < labels.size() && to_.status();) {
      const auto at = labels.begin() + static_cast<std::ptrdiff_t>(axis);
      const auto again = std::find(at + 1, labels.end(), *at);
      if (again == labels.end()) {
        ++axis;
        continue;
      }
      x = diagonal(x, axis, static_cast<std::size_t>(again - labels.begin()));
      const int kept = *at;
      labels.erase(again);
      labels.erase(at);
      labels.push_back(kept);
    }
    if (!to_.status()) return {x, std::move(labels)};
    Ints dims = to_.dims(x);
    for (std::size_t axis = labels.size(); axis-- > 0;) {
      if (dims[axis] != 1 || extent(labels[axis]) == 1) continue;
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
      labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(axis));
    }
    return {reshape(x, dims), std::move(labels)};
  }

  /// Axes a and b, of one extent n, become one, the last: every (n+1)-th of their n*n elements.
  Ref diagonal(Ref x, std::size_t a, std::size_t b) {
    Ints dims = to_.dims(x), perm, merged;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      if (axis == a || axis == b) continue;
      perm.push_back(static_cast<std::int64_t>(axis));
      merged.push_back(dims[axis]);
    }
    const auto last = static_cast<std::int64_t>(merged.size());
    const std::int64_t n = dims[a];
    perm.insert(perm.end(), {static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)});
    merged.push_back(n * n);
    const Ref flat = reshape(transpose(x, perm), merged);
    return to_.node("Slice",
                    {flat, to_.ints({0}), to_.ints({n * n}), to_.ints({last}), to_.ints({n + 1})});
  }

  /// Without the labels that are not in `keep`.
  Term summed(const Term& term, const EinsumLabels& keep) {
    Ints axes;
    Term left{term.value, {}};
    for (std::size_t axis = 0; axis < term.labels.size(); ++axis) {
      const int one = term.labels[axis];
      if (std::find(keep.begin(), keep.end(), one) == keep.end()) {
        axes.push_back(static_cast<std::int64_t>(axis));
      } else {
        left.labels.push_back(one);
      }
    }
    if (axes.empty()) return term;
    left.value =
        to_.node("ReduceSum", {term.value, to_.ints(axes)}, {{"keepdims", std::int64_t{0}}});
    return left;
  }

  /// The term's axes in the order of `labels`, which are the same ones or more: those it lacks
  /// become extents of 1.
  Ref stretched(const Term& term, const EinsumLabels& labels) {
    EinsumLabels own;
    Ints dims;
    for (const int one : labels) {
      if (term.has(one)) own.push_back(one);
      dims.push_back(term.has(one) ? extent(one) : 1);
    }
    return reshape(ordered(term, own), dims);
  }

  /// Its axes in the order of `labels`, the same ones; missing ones are stretched to.
  Ref ordered(const Term& term, const EinsumLabels& labels) {
    Ints perm;
    for (const int one : labels) {
      const auto at = std::find(term.labels.begin(), term.labels.end(), one);
      perm.push_back(at - term.labels.begin());
    }
    return transpose(term.value, perm);
  }

  /// Labels that the result or any term but a and b has.
  EinsumLabels kept_beside(std::size_t a, std::size_t b) const {
    EinsumLabels keep = equation_.result;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      if (i == a || i == b) continue;
      keep.insert(keep.end(), terms_[i].labels.begin(), terms_[i].labels.end());
    }
    return keep;
  }

  void contract_cheapest() {
    double least = std::numeric_limits<double>::infinity();
    std::size_t best_a = 0, best_b = 1;
    for (std::size_t a = 0; a < terms_.size(); ++a) {
      for (std::size_t b = a + 1; b < terms_.size(); ++b) {
        double work = 1.0;
        for (const int one : terms_[a].labels) work *= static_cast<double>(extent(one));
        for (const int one : terms_[b].labels) {
          if (!terms_[a].has(one)) work *= static_cast<double>(extent(one));
        }
        if (work >= least) continue;
        least = work;
        best_a = a;
        best_b = b;
      }
    }
    Term joined = contracted(best_a, best_b);
    terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(best_b));
    terms_[best_a] = std::move(joined);
  }

  Term contracted(std::size_t a, std::size_t b) {
    EinsumLabels keep = kept_beside(a, b), keep_a = keep, keep_b = keep;
    keep_a.insert(keep_a.end(), terms_[b].labels.begin(), terms_[b].labels.end());
    keep_b.insert(keep_b.end(), terms_[a].labels.begin(), terms_[a].labels.end());
    Term left = summed(terms_[a], keep_a), right = summed(terms_[b], keep_b);
    EinsumLabels batch, over, only_left, only_right;
    const auto kept = [&](int one) {
      return std::find(keep.begin(), keep.end(), one) != keep.end();
    };
    for (const int one : left.labels) {
      (!right.has(one) ? only_left : kept(one) ? batch : over).push_back(one);
    }
    for (const int one : right.labels) {
      if (!left.has(one)) only_right.push_back(one);
    }
    if (over.empty()) return outer(left, right);
    // The result ends with the right operand's labels.
    const bool ends_left =
        !equation_.result.empty() &&
        std::find(only_left.begin(), only_left.end(), equation_.result.back()) != only_left.end();
    if (ends_left) {
      std::swap(left, right);
      std::swap(only_left, only_right);
    }
    return matmul(left, right, {batch, over, only_left, only_right});
  }

  Term outer(const Term& left, const Term& right) {
    EinsumLabels labels;
    for (const int one : equation_.result) {
      if (left.has(one) || right.has(one)) labels.push_back(one);
    }
    for (const Term* term : {&left, &right}) {
      for (const int one : term->labels) {
        if (std::find(labels.begin(), labels.end(), one) == labels.end()) labels.push_back(one);
      }
    }
    return {to_.node("Mul", {stretched(left, labels), stretched(right, labels)}), labels};
  }

  struct Groups {
    EinsumLabels batch, over, left, right;
  };

  static EinsumLabels joined(std::initializer_list<EinsumLabels> parts) {
    EinsumLabels all;
    for (const EinsumLabels& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }

  Term matmul(const Term& left, const Term& right, const Groups& groups) {
    const std::int64_t m = product(groups.left), k = product(groups.over),
                       n = product(groups.right);
    Ints a = {m, k}, b = {k, n};
    if (!groups.batch.empty()) {
      a.insert(a.begin(), product(groups.batch));
      b.insert(b.begin(), product(groups.batch));
    }
    const Ref x = reshape(ordered(left, joined({groups.batch, groups.left, groups.over})), a);
    const Ref y = reshape(ordered(right, joined({groups.batch, groups.over, groups.right})), b);
    Term result{{}, joined({groups.batch, groups.left, groups.right})};
    result.value = reshape(to_.node("MatMul", {x, y}), extents(result.labels));
    return result;
  }

  const EinsumEquation& equation_;
  Expansion& to_;
  std::vector<Term> terms_;
};

/// result[labels] = sum over the labels that are not in it of the product of all operands.
/// Opset 12.
class Einsum final : public Composite {
 public:
  std::string_view type() const override { return "Einsum"; }
  std::string_view formula() const override {
    return "out[labels] = sum over the labels not in out of prod_j x_j[labels_j], as equation says";
  }
  int first_opset() const override { return 12; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"equation", AttributeKind::kString, kAlways}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, op.inputs.size(), op.inputs.size()));
    if (op.inputs.empty()) {
      return fail("onnx-type", fmt::format("{}: it has no inputs but needs at least one; correct "
                                           "the model",
                                           label(op)));
    }
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      FRIT_TRY(check_dtype(op, i, fmt::format("its operand {}", i), numeric_types()));
      FRIT_TRY(check_same_dtype(op, 0, i));
      FRIT_TRY(check_constant_shape(op, i, fmt::format("its operand {}", i)));
    }
    auto equation = einsum_equation_of(op);
    if (!equation) return fail(std::move(equation).error());
    Ints dims;
    for (const int one : equation->result) dims.push_back(equation->extents.at(one));
    FRIT_TRY(check_size(op, dims));
    return std::vector{TensorType(op.input(0).dtype, dims)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    auto equation = einsum_equation_of(op);
    if (!equation) return fail(std::move(equation).error());
    to.output(0, Contraction(*equation, to).run());
    return to.status();
  }
};

}  // namespace

void add_einsum(std::vector<const Operator*>& all) { all.push_back(new Einsum); }

}  // namespace frit

#include "ops/transpose.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

Ints perm_of(const OpInstance& op) {
  Ints reversed(op.input(0).shape.size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return ints_attribute(op.attributes, "perm", reversed);
}

class Transpose final : public Operator {
 public:
  std::string_view type() const override { return "Transpose"; }
  std::string_view formula() const override {
    return "out[i] = x[j], j[perm[a]] = i[a]; without perm all axes reversed";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"perm", kInts}};
    return all;
  }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    const TensorType& in = op.input(0);
    const Ints perm = perm_of(op);
    Ints sorted = perm;
    std::sort(sorted.begin(), sorted.end());
    Ints wanted(in.shape.size());
    std::iota(wanted.begin(), wanted.end(), 0);
    if (sorted != wanted) {
      return fail("onnx-attribute", fmt::format("{}: perm is {} but its input {} needs each of its "
                                                "axes once; correct the attribute",
                                                label(op), dims_text(perm), to_text(in)));
    }
    TensorType out = in;
    for (std::size_t axis = 0; axis < perm.size(); ++axis) {
      out.shape[axis] = in.shape[static_cast<std::size_t>(perm[axis])];
    }
    return std::vector{out};
  }

  Status canonicalise(OpInstance& op) const override {
    op.attributes = {{"perm", perm_of(op)}};
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Ints perm = perm_of(op);
    const Index out = stages.index();
    Index in(out.size());
    for (std::size_t axis = 0; axis < perm.size(); ++axis) {
      in[static_cast<std::size_t>(perm[axis])] = out[axis];
    }
    stages.stage("")() = operands[0].at(in);
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

}  // namespace

void add_transpose(std::vector<const Operator*>& all) {
  static const Transpose transpose;
  all.push_back(&transpose);
}

}  // namespace frit

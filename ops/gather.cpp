#include "ops/gather.h"

#include <fmt/format.h>

#include "ops/indices.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

std::size_t axis_of(const OpInstance& op) { return *axis_attribute(op, 0); }

class Gather final : public Operator {
 public:
  std::string_view type() const override { return "Gather"; }
  std::string_view formula() const override {
    return "out[a,j,b] = x[a, indices[j], b], the indices in place of axis; negative ones from the "
           "end";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"axis", kInt}};
    return all;
  }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_dtype(op, 1, "its indices", index_types()));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    FRIT_TRY(check_constant_shape(op, 1, "its indices"));
    const TensorType &in = op.input(0), &indices = op.input(1);
    const auto stated = axis_attribute(op, 0);
    if (!stated) return fail(stated.error());
    const std::size_t axis = *stated;
    const std::int64_t dim = in.dims()[axis];
    FRIT_TRY(check_known_indices(op, 1, axis));
    std::vector<std::int64_t> dims = in.dims(), picked = indices.dims();
    const auto at = dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    dims.insert(at, picked.begin(), picked.end());
    FRIT_TRY(check_size(op, dims));
    if (dim == 0 && checked_elements(dims) > 0) {
      return fail("onnx-shape",
                  fmt::format("{}: it picks {} from axis {} of its input {}, which is "
                              "empty; correct the model",
                              label(op), to_text(indices), axis, to_text(in)));
    }
    return std::vector{TensorType(in.dtype, dims)};
  }

  Status canonicalise(OpInstance& op) const override {
    op.attributes = {{"axis", static_cast<std::int64_t>(axis_of(op))}};
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const auto axis = static_cast<std::ptrdiff_t>(axis_of(op));
    const std::int64_t dim = op.input(0).dims()[axis_of(op)];
    const Index out = stages.index();
    const auto first = out.begin() + axis, last = first + op.input(1).rank();
    Index at(out.begin(), first);
    const Tensor* known = op.constant(1);
    if (known && known->elements() == 1) {
      const std::int64_t index = known->to_ints()[0];
      at.push_back(static_cast<int>(index < 0 ? index + dim : index));
    } else {
      at.push_back(position_in(operands[1].at(Index(first, last)), dim));
    }
    at.insert(at.end(), last, out.end());
    stages.stage("")() = operands[0].at(at);
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

}  // namespace

void add_gather(std::vector<const Operator*>& all) {
  static const Gather gather;
  all.push_back(&gather);
}

}  // namespace frit

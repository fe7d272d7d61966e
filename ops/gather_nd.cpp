// GatherElements and GatherND: elements and slices picked by a tensor of indices.
//
//   GatherElements  out[i] = data[i with indices[i] in place of coordinate `axis`]
//   GatherND        out[b…, j…, k…] = data[b…, indices[b…, j…, :], k…], b… the first batch_dims
//   axes
#include <fmt/format.h>

#include <algorithm>

#include "ops/indices.h"
#include "ops/limits.h"
#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

/// Of both: data and integer indices, of constant extents.
Status check_gathered(const OpInstance& op) {
  FRIT_TRY(check_inputs(op, 2, 2));
  FRIT_TRY(check_dtype(op, 1, "its indices", index_types()));
  FRIT_TRY(check_constant_shape(op, 0, "its input"));
  return check_constant_shape(op, 1, "its indices");
}

class GatherElements final : public Operator {
 public:
  std::string_view type() const override { return "GatherElements"; }
  std::string_view formula() const override {
    return "out[i] = data[i, with indices[i] for coordinate axis]";
  }
  int first_opset() const override { return 11; }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_gathered(op));
    const auto axis = axis_attribute(op, 0);
    if (!axis) return fail(axis.error());
    const TensorType &in = op.input(0), &indices = op.input(1);
    const Ints dims = in.dims(), picked = indices.dims();
    bool fits = dims.size() == picked.size();
    for (std::size_t a = 0; fits && a < dims.size(); ++a) {
      fits = a == *axis ? dims[a] > 0 || indices.elements() == 0 : picked[a] <= dims[a];
    }
    if (!fits) {
      return fail("onnx-shape",
                  fmt::format("{}: its indices are {} but its input is {}; they must have its rank "
                              "and, but for axis {}, at most its extents",
                              label(op), to_text(indices), to_text(in), *axis));
    }
    FRIT_TRY(check_known_indices(op, 1, *axis));
    return std::vector{TensorType(in.dtype, picked)};
  }

  Status canonicalise(OpInstance& op) const override {
    op.attributes = {{"axis", static_cast<std::int64_t>(*axis_attribute(op, 0))}};
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const std::size_t axis = *axis_attribute(op, 0);
    Index at = stages.index();
    at[axis] = position_in(operands[1].at(at), std::max<std::int64_t>(1, op.input(0).dims()[axis]));
    stages.stage("")() = operands[0].at(at);
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

class GatherND final : public Operator {
 public:
  std::string_view type() const override { return "GatherND"; }
  std::string_view formula() const override {
    return "out[b,j,k] = data[b, indices[b,j,:], k], b the first batch_dims axes (opset 12 on)";
  }
  int first_opset() const override { return 11; }
  OpKind kind(const OpInstance&) const override { return OpKind::kInjective; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"batch_dims", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_gathered(op));
    const TensorType &in = op.input(0), &indices = op.input(1);
    const Ints dims = in.dims(), picked = indices.dims();
    const std::int64_t batch = int_attribute(op.attributes, "batch_dims", 0);
    const std::int64_t tuple = picked.empty() ? 0 : picked.back();
    const auto shared = static_cast<std::size_t>(std::max<std::int64_t>(0, batch));
    const bool ranks = batch >= 0 && shared < std::min(dims.size(), picked.size()) && tuple >= 1 &&
                       tuple <= static_cast<std::int64_t>(dims.size()) - batch;
    if (!ranks || !std::equal(dims.begin(), dims.begin() + batch, picked.begin())) {
      return fail("onnx-shape",
                  fmt::format("{}: its indices are {} and its input is {} with batch_dims {}; the "
                              "last extent of indices must be from 1 to the axes after the batch, "
                              "and the batch extents the same",
                              label(op), to_text(indices), to_text(in), batch));
    }
    FRIT_TRY(check_known_indices(op, 1, shared, static_cast<std::size_t>(tuple)));
    Ints out(picked.begin(), picked.end() - 1);
    out.insert(out.end(), dims.begin() + batch + tuple, dims.end());
    FRIT_TRY(check_size(op, out));
    const auto first = dims.begin() + batch;
    if (std::count(first, first + tuple, 0) > 0 && checked_elements(out) > 0) {
      return fail("onnx-shape", fmt::format("{}: it picks {} from its input {}, which is empty; "
                                            "correct the model",
                                            label(op), to_text(indices), to_text(in)));
    }
    return std::vector{TensorType(in.dtype, out)};
  }

  Status canonicalise(OpInstance& op) const override {
    op.attributes = {{"batch_dims", int_attribute(op.attributes, "batch_dims", 0)}};
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const std::int64_t batch = int_attribute(op.attributes, "batch_dims", 0);
    const Ints dims = op.input(0).dims();
    const Index out = stages.index();
    const std::ptrdiff_t prefix = op.input(1).rank() - 1;
    Index at(out.begin(), out.begin() + batch);
    for (std::int64_t j = 0; j < op.input(1).dims().back(); ++j) {
      Index tuple(out.begin(), out.begin() + prefix);
      tuple.emplace_back(static_cast<int>(j));
      const std::int64_t dim = dims[static_cast<std::size_t>(batch + j)];
      at.push_back(position_in(operands[1].at(tuple), std::max<std::int64_t>(1, dim)));
    }
    at.insert(at.end(), out.begin() + prefix, out.end());
    stages.stage("")() = operands[0].at(at);
  }

  Counts counts(const OpInstance&) const override { return {}; }
};

}  // namespace

void add_gather_nd(std::vector<const Operator*>& all) {
  all.push_back(new GatherElements);
  all.push_back(new GatherND);
}

}  // namespace frit

// NonZero and Unique: what they give has extents that depend on values, so that these must be known
// when building; they are folded then.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ops/indices.h"
#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

class OfKnownValues : public Operator {
 public:
  OpKind kind(const OpInstance&) const override { return OpKind::kShape; }
  void build(const OpInstance& op, const std::vector<Operand>&, StageBuilder&) const override {
    FRIT_ASSERT(false, label(op) + " was not folded before building");
  }
  Counts counts(const OpInstance&) const override { return {}; }
};

class NonZero final : public OfKnownValues {
 public:
  std::string_view type() const override { return "NonZero"; }
  std::string_view formula() const override {
    return "out[a,j] = coordinate a of the j-th element of x that is not 0, in row-major order; x "
           "known at build";
  }
  int first_opset() const override { return 9; }
  const Attributes& attributes() const override { return no_attributes(); }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    const auto input = constant_input(op, 0, "X");
    if (!input) return fail(input.error());
    const std::vector<double> values = (*input)->to_doubles();
    const auto count =
        std::count_if(values.begin(), values.end(), [](double v) { return v != 0.0; });
    return std::vector{TensorType(DType::kI64, {op.input(0).rank(), count})};
  }
};

/// NaN is equal to itself and above all else.
struct Below {
  bool operator()(double a, double b) const { return std::isnan(b) ? !std::isnan(a) : a < b; }
  bool operator()(const std::vector<double>& a, const std::vector<double>& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), *this);
  }
};

/// How many of the slices along an axis differ from all before.
template <class Number, class Less>
std::int64_t distinct(const std::vector<Number>& values, const Ints& dims, std::size_t axis) {
  std::int64_t inner = 1;
  for (std::size_t a = axis + 1; a < dims.size(); ++a) inner *= dims[a];
  std::vector<std::vector<Number>> slices(static_cast<std::size_t>(dims[axis]));
  for (std::size_t i = 0; i < values.size(); ++i) {
    slices[static_cast<std::size_t>(static_cast<std::int64_t>(i) / inner % dims[axis])].push_back(
        values[i]);
  }
  const std::set<std::vector<Number>, Less> all(slices.begin(), slices.end());
  return static_cast<std::int64_t>(all.size());
}

class Unique final : public OfKnownValues {
 public:
  std::string_view type() const override { return "Unique"; }
  std::string_view formula() const override {
    return "y = the distinct slices of x along axis (elements of flat x without axis), sorted or "
           "as they occur\n"
           "indices of first occurrence, of each slice in y, and counts; x known at build";
  }
  int first_opset() const override { return 11; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", AttributeKind::kInt}, {"sorted", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    const auto input = constant_input(op, 0, "X");
    if (!input) return fail(input.error());
    const bool flat = !has_attribute(op.attributes, "axis");
    Ints dims = flat ? Ints{op.input(0).elements()} : op.input(0).dims();
    std::size_t axis = 0;
    if (!flat) {
      const auto stated = axis_attribute(op, 0);
      if (!stated) return fail(stated.error());
      axis = *stated;
    }
    const std::int64_t extent = dims[axis];
    const std::int64_t count =
        is_float((*input)->dtype())
            ? distinct<double, Below>((*input)->to_doubles(), dims, axis)
            : distinct<std::int64_t, std::less<>>((*input)->to_ints(), dims, axis);
    dims[axis] = count;
    const TensorType counts(DType::kI64, {count});
    return std::vector{TensorType(op.input(0).dtype, dims), counts,
                       TensorType(DType::kI64, {extent}), counts};
  }
};

}  // namespace

void add_known_values(std::vector<const Operator*>& all) {
  all.push_back(new NonZero);
  all.push_back(new Unique);
}

}  // namespace frit

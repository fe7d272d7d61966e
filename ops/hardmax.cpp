// Hardmax: 1 at the first largest element along the axis, else 0.
//
// Before opset 13 the input is seen as a matrix, [product of axes before, product of the rest].
#include "ops/norm_parts.h"
#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

class Hardmax final : public Composite {
 public:
  std::string_view type() const override { return "Hardmax"; }
  std::string_view formula() const override {
    return "out[i,r] = 1 at the first r where x[i,r] is largest, else 0\n"
           "r over axis; before opset 13 over all axes from axis on";
  }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    if (const auto view = view_of(op); !view) return fail(view.error());
    return std::vector{op.input(0)};
  }

  // A NaN is the largest, as numpy has it: then nothing equals the maximum, which is NaN too.
  Status expand(const OpInstance& op, Expansion& to) const override {
    const auto [dims, axis] = *view_of(op);
    const Ref x = reshaped(to, to.input(0), dims);
    const Ref axes = to.ints({axis});
    const Ref top = to.node("ReduceMax", {x, axes});
    const Ref hit = to.node("Or", {to.node("Equal", {x, top}), to.node("IsNaN", {x})});
    Ints shape(dims.size() - static_cast<std::size_t>(axis), 1);
    shape[0] = dims[static_cast<std::size_t>(axis)];
    std::vector<std::int32_t> places;
    for (std::int64_t i = 0; i < shape[0]; ++i) places.push_back(static_cast<std::int32_t>(i));
    const Ref place = to.constant(Tensor::of<std::int32_t>(DType::kI32, shape, places));
    const Ref none = to.scalar(DType::kI32, static_cast<double>(shape[0]));
    const Ref first = to.node("ReduceMin", {to.node("Where", {hit, place, none}), axes});
    const Ref y = cast_to(to, to.node("Equal", {place, first}), op.input(0).dtype);
    to.output(0, reshaped(to, y, op.input(0).dims()));
    return to.status();
  }

 private:
  struct View {
    Ints dims;
    std::int64_t axis;
  };
  static Result<View> view_of(const OpInstance& op) {
    const Ints dims = op.input(0).dims();
    const bool coerced = op.opset < 13;
    const auto axes = normal_axes(op, {int_attribute(op.attributes, "axis", coerced ? 1 : -1)},
                                  op.input(0).rank());
    if (!axes) return fail(axes.error());
    if (!coerced) return View{dims, axes->at(0)};
    Ints matrix = {1, 1};
    for (std::size_t a = 0; a < dims.size(); ++a) {
      matrix[static_cast<std::int64_t>(a) < axes->at(0) ? 0 : 1] *= dims[a];
    }
    return View{matrix, 1};
  }
};

}  // namespace

void add_hardmax(std::vector<const Operator*>& all) { all.push_back(new Hardmax); }

}  // namespace frit

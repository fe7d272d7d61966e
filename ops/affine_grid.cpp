// AffineGrid, as the product of each theta with a constant table of homogeneous coordinates.
#include <fmt/format.h>

#include "ops/operator.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

/// [points, spatial axes + 1]: x, y, z (innermost axis first) in [-1, 1], then 1.
std::vector<double> coordinates(const Ints& space, bool align_corners) {
  std::int64_t points = 1;
  for (const std::int64_t extent : space) points *= extent;
  std::vector<double> table;
  for (std::int64_t point = 0; point < points; ++point) {
    std::int64_t rest = point;
    for (std::size_t axis = space.size(); axis-- > 0;) {
      const auto extent = static_cast<double>(space[axis]);
      const auto at = static_cast<double>(rest % space[axis]);
      rest /= space[axis];
      // One element of aligned corners: both ends, of which ONNX's steps meet the first.
      const double steps =
          align_corners ? (extent > 1 ? 2 * at / (extent - 1) : 0) : (2 * at + 1) / extent;
      table.push_back(steps - 1);
    }
    table.push_back(1.0);
  }
  return table;
}

/// out[n, spatial…, :] = theta[n] (x, y, (z,) 1). Opset 20.
class AffineGrid final : public Composite {
 public:
  std::string_view type() const override { return "AffineGrid"; }
  std::string_view formula() const override {
    return "out[n,y,x,:] = theta[n] (xx, yy, 1), xx and yy the positions of pixel centres in [-1, "
           "1]\n"
           "align_corners: -1 and 1 are the outermost centres, else the edges; likewise three axes";
  }
  int first_opset() const override { return 20; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"align_corners", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 2));
    FRIT_TRY(check_dtype(op, 0, "its theta", float_types()));
    FRIT_TRY(check_constant_shape(op, 0, "its theta"));
    auto size = integer_input(op, 1, "its size");
    if (!size) return fail(std::move(size).error());
    const Ints dims = (*size)->to_ints();
    FRIT_TRY(check_size(op, dims));
    const auto axes = static_cast<std::int64_t>(dims.size()) - 2;
    const bool fits =
        (axes == 2 || axes == 3) && op.input(0).dims() == Ints{dims[0], axes, axes + 1};
    if (!fits) {
      return fail("onnx-shape",
                  fmt::format("{}: its theta is {} and its size {} but they must be [n,2,3] with "
                              "[n,c,h,w], or [n,3,4] with [n,c,d,h,w]; correct the model",
                              label(op), to_text(op.input(0)), dims_text(dims)));
    }
    Ints out = {dims[0]};
    out.insert(out.end(), dims.begin() + 2, dims.end());
    out.push_back(axes);
    FRIT_TRY(check_size(op, out));
    return std::vector{TensorType(op.input(0).dtype, out)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ints size = op.constant(1)->to_ints(), space(size.begin() + 2, size.end());
    const DType dtype = op.input(0).dtype;
    const DType wide = dtype == DType::kF64 ? DType::kF64 : DType::kF32;
    const auto axes = static_cast<std::int64_t>(space.size());
    const std::vector<double> values =
        coordinates(space, int_attribute(op.attributes, "align_corners", 0) != 0);
    const Ints dims = {static_cast<std::int64_t>(values.size()) / (axes + 1), axes + 1};
    const Ref table =
        to.constant(wide == DType::kF64 ? Tensor::of(wide, dims, values)
                                        : Tensor::f32(dims, {values.begin(), values.end()}));
    const Ref theta = to.node("Cast", {to.input(0)}, {{"to", onnx_number(wide)}});
    const Ref turned = to.node("Transpose", {theta}, {{"perm", Ints{0, 2, 1}}});
    const Ref flat =
        to.node("Cast", {to.node("MatMul", {table, turned})}, {{"to", onnx_number(dtype)}});
    Ints out = {size[0]};
    out.insert(out.end(), space.begin(), space.end());
    out.push_back(axes);
    to.output(0, to.node("Reshape", {flat, to.ints(out)}, {{"allowzero", std::int64_t{1}}}));
    return to.status();
  }
};

}  // namespace

void add_affine_grid(std::vector<const Operator*>& all) { all.push_back(new AffineGrid); }

}  // namespace frit

// Col2Im: columns of blocks added up to an image.
//
// Each element of the image sums the block positions that cover it: taps r with
// (at + pad - r * dilation) a multiple of the stride that names one of the blocks. Stage "acc"
// reduces over r0, r1, … (block axes, outermost first).
#include <fmt/format.h>

#include <algorithm>

#include "ops/operator.h"
#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/rules.h"
#include "ops/window.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;
using Ints = std::vector<std::int64_t>;

/// The canonical form has both as attributes.
Result<Ints> list_of(const OpInstance& op, const char* name, std::size_t input) {
  if (has_attribute(op.attributes, name)) return ints_attribute(op.attributes, name, {});
  auto value = integer_input(op, input, name);
  if (!value) return fail(std::move(value).error());
  if (*value == nullptr) {
    return fail("onnx-type", fmt::format("{}: input {} ({}) is missing; correct the model",
                                         label(op), input, name));
  }
  return (*value)->to_ints();
}

/// A window whose `out` counts the blocks; `in` is the image.
Result<Window> blocks_of(const OpInstance& op) {
  auto image = list_of(op, "image_shape", 1), block = list_of(op, "block_shape", 2);
  if (!image) return fail(std::move(image).error());
  if (!block) return fail(std::move(block).error());
  const std::size_t rank = image->size();
  if (rank == 0 || block->size() != rank || checked_elements(*image) <= 0 ||
      checked_elements(*block) <= 0) {
    return fail("onnx-shape",
                fmt::format("{}: its image is {} and its block {} but both must have as many "
                            "positive extents; correct the model",
                            label(op), dims_text(*image), dims_text(*block)));
  }
  Window window;
  window.in = *image;
  window.kernel = *block;
  if (const auto read = read_lists(op, rank, window); !read) return fail(read.error());
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t room =
        window.in[axis] + window.pad_low[axis] + window.pad_high[axis] - window.span(axis);
    window.out.push_back(room < 0 ? 0 : room / window.strides[axis] + 1);
  }
  return window;
}

/// Opset 18.
class Col2Im final : public Operator {
 public:
  std::string_view type() const override { return "Col2Im"; }
  std::string_view formula() const override {
    return "image[n,c,y] = sum over r, b with b*stride + r*dilation - pad = y of x[n,(c,r),b], per "
           "spatial axis";
  }
  int first_opset() const override { return 18; }
  OpKind kind(const OpInstance&) const override { return OpKind::kOpaque; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"dilations", AttributeKind::kInts},
                                   {"pads", AttributeKind::kInts},
                                   {"strides", AttributeKind::kInts}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 3));
    FRIT_TRY(check_dtype(op, 0, "its input", numeric_types()));
    FRIT_TRY(check_constant_shape(op, 0, "its input"));
    auto window = blocks_of(op);
    if (!window) return fail(std::move(window).error());
    const Ints dims = op.input(0).dims();
    const std::int64_t blocks = checked_elements(window->out);
    if (dims.size() != 3 || dims[1] % window->taps() != 0 || dims[2] != blocks) {
      return fail("onnx-shape",
                  fmt::format("{}: its input is {} but must be [n, channels * {}, {}] for image {} "
                              "and block {}; correct the model",
                              label(op), to_text(op.input(0)), window->taps(), blocks,
                              dims_text(window->in), dims_text(window->kernel)));
    }
    Ints out = {dims[0], dims[1] / window->taps()};
    out.insert(out.end(), window->in.begin(), window->in.end());
    FRIT_TRY(check_size(op, out));
    return std::vector{TensorType(op.input(0).dtype, out)};
  }

  Status canonicalise(OpInstance& op) const override {
    const Window window = *blocks_of(op);
    Ints pads = window.pad_low;
    pads.insert(pads.end(), window.pad_high.begin(), window.pad_high.end());
    op.attributes = {{"image_shape", window.in},
                     {"block_shape", window.kernel},
                     {"strides", window.strides},
                     {"dilations", window.dilations},
                     {"pads", std::move(pads)}};
    op.inputs.resize(1);
    op.constants.resize(1);
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Window window = *blocks_of(op);
    const Halide::Type type = halide_type(op.outputs.at(0).dtype), wide = compute_type(type);
    Stage& acc = stages.stage("acc");
    acc() = Halide::Internal::make_zero(wide);
    if (op.input(0).elements() > 0) {
      std::vector<std::string> names;  // innermost first
      for (std::size_t axis = window.rank(); axis-- > 0;) names.push_back(fmt::format("r{}", axis));
      reduction_domain(names, {window.kernel.rbegin(), window.kernel.rend()}, acc.reduction);
      const Index out = stages.index();
      Expr tap = 0, block = 0, covered;
      for (std::size_t axis = 0; axis < window.rank(); ++axis) {
        const Expr r = acc.reduction.at(fmt::format("r{}", axis));
        const auto of = [&](const Ints& list) { return static_cast<int>(list[axis]); };
        const Expr from = out[axis + 2] + of(window.pad_low) - r * of(window.dilations);
        const Expr at = Halide::clamp(from / of(window.strides), 0, of(window.out) - 1);
        const Expr hit = at * of(window.strides) == from;
        covered = covered.defined() ? covered && hit : hit;
        tap = tap * of(window.kernel) + r;
        block = block * of(window.out) + at;
      }
      const Expr channel = out[1] * static_cast<int>(window.taps()) + tap;
      const Expr value = cast(wide, operands[0].at({out[0], channel, block}));
      acc() += Halide::select(covered, value, Halide::Internal::make_zero(wide));
    }
    if (wide == type) return;
    const Expr sum = acc();
    stages.stage("narrow")() = cast(type, sum);
  }

  Counts counts(const OpInstance& op) const override {
    return {op.outputs.at(0).elements() * blocks_of(op)->taps(), 0};
  }
};

}  // namespace

void add_col2im(std::vector<const Operator*>& all) { all.push_back(new Col2Im); }

}  // namespace frit

#include "ops/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/math.h"
#include "ops/rules.h"
#include "ops/window.h"

namespace frit {
namespace {

using Halide::cast;
using Halide::Expr;

constexpr DType kMaxPoolTypes[] = {DType::kF16, DType::kBF16, DType::kF32,
                                   DType::kF64, DType::kI8,   DType::kU8};

std::vector<std::int64_t> kernel_of(const OpInstance& op) {
  return ints_attribute(op.attributes, "kernel_shape", {});
}

Result<Window> stated_window(const OpInstance& op) {
  return window_of(op, kernel_of(op), int_attribute(op.attributes, "ceil_mode", 0) != 0);
}

Window checked_window(const OpInstance& op) {
  auto window = stated_window(op);
  FRIT_ASSERT(window.has_value(), "a pool that infer accepted");
  return *std::move(window);
}

/// What MaxPool and AveragePool share: windows, axes, facts.
class Pool : public Operator {
 public:
  OpKind kind(const OpInstance&) const override { return OpKind::kReduction; }
  std::string anchor(const OpInstance& op) const override {
    const int rank = op.input(0).rank() - 2;
    return rank == 2 ? "pool" : fmt::format("pool{}d", rank);
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", types()));
    auto window = stated_window(op);
    if (!window) return fail(std::move(window).error());
    TensorType out = op.input(0);
    for (std::size_t axis = 0; axis < window->rank(); ++axis) {
      if (std::max(window->pad_low[axis], window->pad_high[axis]) >= window->span(axis)) {
        return fail(
            "onnx-attribute",
            fmt::format("{}: it pads spatial axis {} by ({},{}) but its window spans {}, so "
                        "that some windows would see padding only; correct pads",
                        label(op), axis, window->pad_low[axis], window->pad_high[axis],
                        window->span(axis)));
      }
      out.shape[axis + 2] = window->out[axis];
      if (window->in[axis] > 0 || window->out[axis] == 0) continue;
      return fail("onnx-shape",
                  fmt::format("{}: spatial axis {} of its input is empty but pads ({},{}) make {} "
                              "windows of it, which would see padding only; pass a larger --shape",
                              label(op), axis, window->pad_low[axis], window->pad_high[axis],
                              window->out[axis]));
    }
    FRIT_TRY(check_size(op, out.dims()));
    return std::vector{out};
  }

  Status canonicalise(OpInstance& op) const override {
    set_window_attributes(op, checked_window(op));
    op.attributes["ceil_mode"] = int_attribute(op.attributes, "ceil_mode", 0);
    return {};
  }

  std::vector<std::string> axis_names(const OpInstance& op) const override {
    return image_axes(op, "c");
  }

  Facts facts(const OpInstance& op) const override {
    Facts facts = Operator::facts(op);
    add_window_facts(checked_window(op), facts);
    return facts;
  }

  Reach reach(const OpInstance& op, std::size_t) const override {
    return window_reach(checked_window(op), fill(op));
  }

  Counts counts(const OpInstance& op) const override {
    Counts counts;
    counts.flop = op.outputs.at(0).elements() * checked_window(op).taps();
    return counts;
  }

 protected:
  virtual std::span<const DType> types() const { return float_types(); }
  /// Value read outside the input.
  virtual double fill(const OpInstance& op) const = 0;

  /// The input under the window at the axes of `stages`; names the reduction axes of `acc`.
  Expr tap_value(const OpInstance& op, const Operand& in, const Window& window,
                 StageBuilder& stages, Stage& acc) const {
    // The last spatial axis is the innermost of the reduction: neighbours in memory when dense.
    std::vector<std::string> names = spatial_names(window.rank());
    std::reverse(names.begin(), names.end());
    for (auto& name : names) name = "r" + name;
    reduction_domain(names, {window.kernel.rbegin(), window.kernel.rend()}, acc.reduction);
    Index at = stages.index();
    for (std::size_t axis = 0; axis < window.rank(); ++axis) {
      const std::string& name = names[window.rank() - 1 - axis];
      at[axis + 2] = window_index(window, axis, at[axis + 2], acc.reduction.at(name));
    }
    const Reach beyond = reach(op, 0);
    return read_padded(in, at, beyond.low, beyond.high, beyond.fill);
  }
};

/// Of two outputs: expands into a pool for the values and a MaxPoolIndices for their places.
class MaxPool : public Pool {
 public:
  std::string_view type() const override { return "MaxPool"; }
  std::string_view formula() const override {
    return "out[n,c,y,x] = max_{ry,rx} x[n,c,y*sy+ry*dy-py,x*sx+rx*dx-px] over what is inside x\n"
           "output 1 (indices): its place in flat x; dilations and ceil_mode from opset 10";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"auto_pad", kString}, {"ceil_mode", kInt},
                                   {"dilations", kInts},  {"kernel_shape", kInts, kAlways},
                                   {"pads", kInts},       {"storage_order", kInt},
                                   {"strides", kInts}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    auto types = Pool::infer(op);
    if (types && op.outputs.size() > 1) types->emplace_back(DType::kI64, types->front().dims());
    return types;
  }

  Status canonicalise(OpInstance& op) const override {
    FRIT_TRY(Pool::canonicalise(op));
    op.attributes.erase("storage_order");  // only orders the indices output
    return {};
  }

  bool expands(const OpInstance& op) const override { return op.outputs.size() > 1; }
  Status expand(const OpInstance& op, Expansion& to) const override {
    to.output(0, to.node("MaxPool", {to.input(0)}, op.attributes));
    to.output(1, to.node("MaxPoolIndices", {to.input(0)}, op.attributes, "frit"));
    return to.status();
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    Stage& acc = stages.stage("acc");
    acc() = constant_of(halide_type(op.outputs.at(0).dtype), fill(op));
    const Expr in = tap_value(op, operands[0], checked_window(op), stages, acc);
    const Expr best = acc();
    acc() = math::maximum(best, in);
  }

 protected:
  std::span<const DType> types() const override { return kMaxPoolTypes; }
  double fill(const OpInstance& op) const override {
    switch (op.input(0).dtype) {
      case DType::kI8:
        return -128.0;
      case DType::kU8:
        return 0.0;
      default:
        return -std::numeric_limits<double>::infinity();
    }
  }
};

/// Where each window of MaxPool has its (first) maximum, counted through the whole input; domain
/// "frit". storage_order 1 counts each plane with its first axis fastest. Stage "max", then the
/// least place in row-major order that holds it: "acc".
class MaxPoolIndices final : public MaxPool {
 public:
  std::string_view type() const override { return "MaxPoolIndices"; }
  std::string_view formula() const override {
    return "out[n,c,y,x] = place in flat x of the first largest x[n,c,y*sy+ry*dy-py,x*sx+rx*dx-px]";
  }
  std::string_view domain() const override { return "frit"; }
  OpKind kind(const OpInstance&) const override { return OpKind::kOpaque; }
  bool expands(const OpInstance&) const override { return false; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    auto types = Pool::infer(op);
    if (!types) return types;
    const std::vector<std::int64_t> dims = op.input(0).dims();
    if (checked_elements({dims.begin() + 2, dims.end()}) > kNowhere) {
      return fail("onnx-too-large", fmt::format("{}: its input {} has planes of more than {} "
                                                "elements; pass a smaller --shape",
                                                label(op), to_text(op.input(0)), kNowhere));
    }
    types->front().dtype = DType::kI64;
    return types;
  }

  Status canonicalise(OpInstance& op) const override { return Pool::canonicalise(op); }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Window window = checked_window(op);
    const Halide::Type type = halide_type(op.input(0).dtype);
    Stage& max = stages.stage("max");
    max() = constant_of(type, fill(op));
    max() = math::maximum(Expr(max()), tap_value(op, operands[0], window, stages, max));

    Stage& acc = stages.stage("acc");
    acc() = kNowhere;
    const Expr value = tap_value(op, operands[0], window, stages, acc), most = max();
    Expr same = value == most;
    if (type.is_float()) {
      const Halide::Type wide = compute_type(type);
      same = math::strict_equal(cast(wide, value), cast(wide, most)) ||
             (math::is_nan(cast(wide, value)) && math::is_nan(cast(wide, most)));
    }
    Expr place = 0;
    const std::vector<std::string> names = spatial_names(window.rank());
    for (std::size_t axis = 0; axis < window.rank(); ++axis) {
      const Expr at =
          window_index(window, axis, stages.axes()[axis + 2], acc.reduction.at("r" + names[axis]));
      same = same && at >= 0 && at < static_cast<int>(window.in[axis]);
      place = place * static_cast<int>(window.in[axis]) + at;
    }
    acc() = Halide::min(Expr(acc()), Halide::select(same, place, kNowhere));
    Stage& index = stages.stage("index");
    index() = counted(op, window, acc(), stages);
    index.op_cost = 8;
  }

 private:
  /// Above every place, and so far below 2^31 that Halide's arithmetic on bounds does not overflow.
  static constexpr std::int32_t kNowhere = std::numeric_limits<std::int32_t>::max() - (1 << 20);

  /// Row-major `place` in a plane as the output counts it.
  static Expr counted(const OpInstance& op, const Window& window, const Expr& place,
                      const StageBuilder& stages) {
    std::int64_t plane = 1;
    for (const std::int64_t extent : window.in) plane *= extent;
    Expr within = place;
    if (int_attribute(op.attributes, "storage_order", 0) != 0) {
      within = 0;
      Expr rest = place;
      std::int64_t step = plane;
      for (std::size_t axis = window.rank(); axis-- > 0;) {
        const auto extent = static_cast<int>(window.in[axis]);
        step /= window.in[axis];
        within = within + rest % extent * static_cast<int>(step);
        rest = rest / extent;
      }
    }
    const auto channels = static_cast<int>(op.input(0).dims()[1]);
    const Halide::Type wide = Halide::Int(64);
    const Expr planes = cast(wide, stages.axes()[0]) * channels + stages.axes()[1];
    return planes * constant_of(wide, plane) + cast(wide, within);
  }
};

/// (sum of |x|^p)^(1/p) over each window; what lies outside the input adds nothing.
class LpPool final : public Pool {
 public:
  std::string_view type() const override { return "LpPool"; }
  std::string_view formula() const override {
    return "out[n,c,y,x] = (sum_{ry,rx} |x[n,c,y*sy+ry*dy-py,x*sx+rx*dx-px]|^p)^(1/p), 0 outside "
           "x\n"
           "dilations and ceil_mode from opset 18";
  }
  int first_opset() const override { return 2; }
  const Attributes& attributes() const override {
    static const Attributes all = {
        {"auto_pad", AttributeKind::kString}, {"ceil_mode", AttributeKind::kInt},
        {"dilations", AttributeKind::kInts},  {"kernel_shape", AttributeKind::kInts, kAlways},
        {"p", AttributeKind::kInt},           {"pads", AttributeKind::kInts},
        {"strides", AttributeKind::kInts}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    if (power_of(op) < 1) {
      return fail("onnx-attribute", fmt::format("{}: p is {} but must be 1 or more; correct the "
                                                "attribute",
                                                label(op), power_of(op)));
    }
    return Pool::infer(op);
  }

  Status canonicalise(OpInstance& op) const override {
    FRIT_TRY(Pool::canonicalise(op));
    op.attributes["p"] = power_of(op);
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Halide::Type result_type = halide_type(op.outputs.at(0).dtype);
    const Halide::Type sum_type = compute_type(result_type);
    const Expr p = constant_of(sum_type, static_cast<double>(power_of(op)));
    Stage& acc = stages.stage("acc");
    acc() = Halide::Internal::make_zero(sum_type);
    const Expr x =
        math::absolute(cast(sum_type, tap_value(op, operands[0], checked_window(op), stages, acc)));
    const Expr simple = math::pow_constant(x, static_cast<double>(power_of(op)));
    acc() += simple.defined() ? simple : math::pow(x, p);
    const Expr sum = acc();
    const double inverse = 1.0 / static_cast<double>(power_of(op));
    const Expr root = math::pow_constant(sum, inverse);
    Stage& norm = stages.stage("norm");
    norm.op_cost = 10;
    norm() =
        cast(result_type, root.defined() ? root : math::pow(sum, constant_of(sum_type, inverse)));
  }

 protected:
  double fill(const OpInstance&) const override { return 0.0; }

 private:
  static std::int64_t power_of(const OpInstance& op) {
    return int_attribute(op.attributes, "p", 2);
  }
};

/// Number of taps of one axis whose input position lies in [low,high), for output position `out`.
Expr taps_within(const Window& window, std::size_t axis, const Expr& out, std::int64_t low,
                 std::int64_t high) {
  const std::int64_t taps = window.kernel[axis], step = window.dilations[axis];
  const std::int64_t first = -window.pad_low[axis];
  const std::int64_t last = (window.out[axis] - 1) * window.strides[axis] + first;
  if (first >= low && last + (taps - 1) * step < high) return static_cast<int>(taps);
  const Expr start = window_index(window, axis, out, 0);
  const Expr before =
      Halide::max(0, (static_cast<int>(low + step - 1) - start) / static_cast<int>(step));
  const Expr end = Halide::min(
      static_cast<int>(taps), (static_cast<int>(high + step - 1) - start) / static_cast<int>(step));
  return Halide::max(0, end - before);
}

class AveragePool final : public Pool {
 public:
  std::string_view type() const override { return "AveragePool"; }
  std::string_view formula() const override {
    return "out[n,c,y,x] = 1/R sum_{ry,rx} x[n,c,y*sy+ry*dy-py,x*sx+rx*dx-px]\n"
           "R: taps inside x, or also the padding (count_include_pad); ceil_mode from opset 10, "
           "dilations 19";
  }
  const Attributes& attributes() const override {
    using enum AttributeKind;
    static const Attributes all = {{"auto_pad", kString},
                                   {"ceil_mode", kInt},
                                   {"count_include_pad", kInt},
                                   {"dilations", kInts},
                                   {"kernel_shape", kInts, kAlways},
                                   {"pads", kInts},
                                   {"strides", kInts}};
    return all;
  }

  Status canonicalise(OpInstance& op) const override {
    FRIT_TRY(Pool::canonicalise(op));
    op.attributes["count_include_pad"] = int_attribute(op.attributes, "count_include_pad", 0);
    return {};
  }

  void build(const OpInstance& op, const std::vector<Operand>& operands,
             StageBuilder& stages) const override {
    const Window window = checked_window(op);
    const Halide::Type result_type = halide_type(op.outputs.at(0).dtype);
    const Halide::Type sum_type = compute_type(result_type);
    Stage& acc = stages.stage("acc");
    acc() = Halide::Internal::make_zero(sum_type);
    acc() += cast(sum_type, tap_value(op, operands[0], window, stages, acc));

    const bool include_pad = int_attribute(op.attributes, "count_include_pad", 0) != 0;
    const Index at = stages.index();
    Expr count = 1;
    for (std::size_t axis = 0; axis < window.rank(); ++axis) {
      const std::int64_t low = include_pad ? -window.pad_low[axis] : 0;
      const std::int64_t high = window.in[axis] + (include_pad ? window.pad_high[axis] : 0);
      count = count * taps_within(window, axis, at[axis + 2], low, high);
    }
    const Expr sum = acc();
    Stage& mean = stages.stage("mean");
    mean.op_cost = 4;  // a division
    mean() = cast(result_type, sum / cast(sum_type, count));
  }

 protected:
  double fill(const OpInstance&) const override { return 0.0; }
};

}  // namespace

void add_pool(std::vector<const Operator*>& all) {
  static const MaxPool max_pool;
  static const MaxPoolIndices max_pool_indices;
  static const LpPool lp_pool;
  static const AveragePool average_pool;
  all.insert(all.end(), {&max_pool, &max_pool_indices, &lp_pool, &average_pool});
}

}  // namespace frit

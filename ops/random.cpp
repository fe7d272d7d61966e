// Random operators: RandomUniform, RandomNormal (and Like), Bernoulli, Multinomial, Dropout.
//
// The numbers come from one internal operator, "Random" of domain "frit", a pointwise function of
// the element's number (philox.h); the rest is arithmetic on them.
#include <fmt/format.h>

#include <algorithm>

#include "ops/halide_type.h"
#include "ops/limits.h"
#include "ops/norm_parts.h"
#include "ops/operator.h"
#include "ops/philox.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Halide::Expr;
using Ints = std::vector<std::int64_t>;
using enum AttributeKind;

/// random[i] = first + second * (a uniform number of [0,1), or a normal one). Its input, of any
/// extents, is not read: it says when the numbers are wanted. `shape` and `dtype` are attributes.
class Random final : public Operator {
 public:
  std::string_view type() const override { return "Random"; }
  std::string_view formula() const override {
    return "out[i] = first + second * u[i], u[i] the i-th number of stream key: in [0,1), or "
           "normal";
  }
  std::string_view domain() const override { return "frit"; }
  OpKind kind(const OpInstance&) const override { return OpKind::kPointwise; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"dtype", kInt},  {"first", kFloat},  {"key", kInt},
                                   {"normal", kInt}, {"second", kFloat}, {"shape", kInts}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    const Ints shape = ints_attribute(op.attributes, "shape", {});
    FRIT_TRY(check_size(op, shape));
    return std::vector{TensorType(*dtype_of_onnx(int_attribute(op.attributes, "dtype", 1)), shape)};
  }

  void build(const OpInstance& op, const std::vector<Operand>&,
             StageBuilder& stages) const override {
    Expr element = Expr(std::uint32_t{0});
    for (std::size_t axis = 0; axis < stages.axes().size(); ++axis) {
      const auto extent = static_cast<std::uint32_t>(stages.extents()[axis]);
      element = element * Expr(extent) + Halide::cast<std::uint32_t>(stages.axes()[axis]);
    }
    const auto key = static_cast<std::uint32_t>(int_attribute(op.attributes, "key", 0));
    const Halide::Type type = halide_type(op.outputs.at(0).dtype);
    const Halide::Type wide = compute_type(type);
    const RandomWords words = philox(element, key);
    const auto parameter = [&](const char* name, float otherwise) {
      return constant_of(wide,
                         static_cast<double>(float_attribute(op.attributes, name, otherwise)));
    };
    const bool normal = int_attribute(op.attributes, "normal", 0) != 0;
    const Expr value = normal ? normal_of(wide, words) : uniform_of(wide, words);
    Stage& out = stages.stage("");
    out() = Halide::cast(type, value * parameter("second", 1.0F) + parameter("first", 0.0F));
    out.op_cost = normal ? 200 : 60;
  }

  Counts counts(const OpInstance& op) const override {
    return {2 * op.outputs.at(0).elements(), 0};
  }
};

struct Wanted {
  DType dtype = DType::kF32;
  Ints shape;
  bool normal = false;
  float first = 0.0F, second = 1.0F;
};

Ref random_numbers(Expansion& to, const OpInstance& op, Ref when, const Wanted& wanted) {
  return to.node("Random", {when},
                 {{"dtype", onnx_number(wanted.dtype)},
                  {"first", wanted.first},
                  {"key", static_cast<std::int64_t>(random_key(op))},
                  {"normal", static_cast<std::int64_t>(wanted.normal)},
                  {"second", wanted.second},
                  {"shape", wanted.shape}},
                 "frit");
}

/// The attribute `dtype` as one of `allowed`, or `otherwise`.
Result<DType> wanted_dtype(const OpInstance& op, DType otherwise, std::span<const DType> allowed) {
  const std::int64_t number = int_attribute(op.attributes, "dtype", onnx_number(otherwise));
  const std::optional<DType> dtype = dtype_of_onnx(number);
  if (dtype && std::find(allowed.begin(), allowed.end(), *dtype) != allowed.end()) return *dtype;
  std::string names;
  for (const DType type : allowed)
    names += (names.empty() ? "" : ", ") + std::string(name_of(type));
  return fail("onnx-attribute", fmt::format("{}: dtype is {} but must be one of {}; correct the "
                                            "attribute",
                                            label(op), number, names));
}

/// RandomUniform(low, high), RandomNormal(mean, scale), and their Like forms.
class RandomNumbers final : public Composite {
 public:
  RandomNumbers(std::string_view type, bool normal, bool like)
      : type_(type), normal_(normal), like_(like) {
    known_ = {{"dtype", kInt}};
    if (!normal) known_.push_back({"high", kFloat});
    known_.push_back({normal ? "mean" : "low", kFloat});
    if (normal) known_.push_back({"scale", kFloat});
    known_.push_back({"seed", kFloat});
    if (!like) known_.push_back({"shape", kInts, kAlways});
  }
  std::string_view type() const override { return type_; }
  std::string_view formula() const override {
    return normal_ ? "out[i] = mean + scale * z[i], z[i] normal numbers of mean 0 and deviation 1"
                   : "out[i] = low + (high - low) * u[i], u[i] uniform in [0,1)";
  }
  const Attributes& attributes() const override { return known_; }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, like_ ? 1 : 0, like_ ? 1 : 0));
    const bool of_input = like_ && is_float(op.input(0).dtype);
    const auto dtype = wanted_dtype(op, of_input ? op.input(0).dtype : DType::kF32, float_types());
    if (!dtype) return fail(dtype.error());
    const Ints shape = like_ ? op.input(0).dims() : ints_attribute(op.attributes, "shape", {});
    FRIT_TRY(check_size(op, shape));
    return std::vector{TensorType(*dtype, shape)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    Wanted wanted{op.outputs.at(0).dtype, op.outputs.at(0).dims(), normal_};
    wanted.first = float_attribute(op.attributes, normal_ ? "mean" : "low", 0.0F);
    wanted.second = float_attribute(op.attributes, normal_ ? "scale" : "high", 1.0F);
    if (!normal_) wanted.second -= wanted.first;
    const Ref when = like_ ? to.input(0) : to.scalar(DType::kF32, 0.0);
    to.output(0, random_numbers(to, op, when, wanted));
    return to.status();
  }

 private:
  std::string_view type_;
  bool normal_, like_;
  Attributes known_;
};

/// 1 with probability x, else 0.
class Bernoulli final : public Composite {
 public:
  std::string_view type() const override { return "Bernoulli"; }
  std::string_view formula() const override {
    return "out[i] = u[i] < x[i] ? 1 : 0, u[i] uniform in [0,1)";
  }
  int first_opset() const override { return 15; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"dtype", kInt}, {"seed", kFloat}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    const auto dtype = wanted_dtype(op, op.input(0).dtype, all_types());
    if (!dtype) return fail(dtype.error());
    return std::vector{TensorType(*dtype, op.input(0).dims())};
  }
  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ref p = widened(to, to.input(0));
    const Ref u = random_numbers(to, op, p, {to.type(p).dtype, op.input(0).dims()});
    to.output(0, cast_to(to, to.node("Less", {u, p}), op.outputs.at(0).dtype));
    return to.status();
  }
};

/// Classes drawn by the softmax of each row of x: how many cumulated probabilities are at most u.
class Multinomial final : public Composite {
 public:
  std::string_view type() const override { return "Multinomial"; }
  std::string_view formula() const override {
    return "out[n,s] = number of classes c with sum_{d <= c} softmax(x[n,:])[d] <= u[n,s], u "
           "uniform in [0,1)";
  }
  int first_opset() const override { return 7; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"dtype", kInt}, {"sample_size", kInt}, {"seed", kFloat}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, 1));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    const auto dtype = wanted_dtype(op, DType::kI32, std::array{DType::kI32, DType::kI64});
    if (!dtype) return fail(dtype.error());
    const Ints dims = op.input(0).dims();
    if (dims.size() != 2 || dims[1] < 1 || dims[1] > kMostClasses) {
      return fail("onnx-shape",
                  fmt::format("{}: its input is {} but must be [batch, classes] with 1 to {} "
                              "classes; correct the model",
                              label(op), to_text(op.input(0)), kMostClasses));
    }
    const Ints shape = {dims[0], int_attribute(op.attributes, "sample_size", 1)};
    FRIT_TRY(check_size(op, shape));
    return std::vector{TensorType(*dtype, shape)};
  }
  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ints in = op.input(0).dims(), out = op.outputs.at(0).dims();
    const DType dtype = op.outputs.at(0).dtype;
    const Ref x = cast_to(to, to.input(0), DType::kF32);
    const Ref p = to.node("Softmax", {x}, {{"axis", std::int64_t{1}}});
    const Ref cumulated = to.node("MatMul", {p, ones_above(to, in[1])});
    const Ref u = random_numbers(to, op, x, {DType::kF32, {out[0], out[1], 1}});
    const Ref below = to.node("LessOrEqual", {reshaped(to, cumulated, {in[0], 1, in[1]}), u});
    const Ref count = to.node("ReduceSum", {cast_to(to, below, dtype), to.ints({2})},
                              {{"keepdims", std::int64_t{0}}});
    const Ref last = to.scalar(dtype, static_cast<double>(in[1] - 1));  // a sum short of 1
    to.output(0, to.node("Min", {count, last}));
    return to.status();
  }

 private:
  static constexpr std::int64_t kMostClasses = 4096;
  static Ref ones_above(Expansion& to, std::int64_t n) {
    std::vector<float> values(static_cast<std::size_t>(n * n), 0.0F);
    for (std::int64_t row = 0; row < n; ++row) {
      for (std::int64_t c = row; c < n; ++c) values[static_cast<std::size_t>(row * n + c)] = 1.0F;
    }
    return to.constant(Tensor::f32({n, n}, values));
  }
};

/// Inference: x, and a mask of ones. Training (opset 12 on): elements kept where a uniform number
/// is at least `ratio`, divided by 1 - ratio.
class Dropout final : public Composite {
 public:
  std::string_view type() const override { return "Dropout"; }
  std::string_view formula() const override {
    return "out[i] = x[i], mask[i] = 1; with training_mode (opset 12 on):\n"
           "mask[i] = u[i] >= ratio, out[i] = mask[i] * x[i] / (1 - ratio), u[i] uniform in [0,1)";
  }
  int first_opset() const override { return 7; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"ratio", kFloat}, {"seed", kInt}};
    return all;
  }
  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, op.opset < 12 ? 1 : 3));
    FRIT_TRY(check_dtype(op, 0, "its input", op.opset < 12 ? all_types() : float_types()));
    if (const auto training = integer_input(op, 2, "training_mode"); !training) {
      return fail(training.error());
    }
    if (op.has_input(1)) {
      FRIT_TRY(check_dtype(op, 1, "its ratio", float_types()));
      const bool one = op.input(1).elements() == 1;
      const double ratio = one && op.constant(1) ? op.constant(1)->to_doubles().at(0) : 0.0;
      if (!one || !(ratio >= 0.0 && ratio < 1.0)) {
        return fail("onnx-shape",
                    fmt::format("{}: its ratio must be one number from 0 on and below 1 but is "
                                "{}; correct the model",
                                label(op), one ? fmt::format("{}", ratio) : to_text(op.input(1))));
      }
    }
    if (op.outputs.size() < 2) return std::vector{op.input(0)};
    TensorType mask = op.input(0);
    if (op.opset >= 10) mask.dtype = DType::kBool;
    return std::vector{op.input(0), mask};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Ref x = to.input(0);
    const Tensor* training = op.opset < 12 ? nullptr : op.constant(2);
    const bool trains = training && training->elements() == 1 && training->to_ints()[0] != 0;
    if (!trains) {
      to.output(0, to.node("Identity", {x}));
      if (op.outputs.size() > 1) {
        const Ref one = to.scalar(op.outputs.at(1).dtype, 1.0);
        to.output(1, to.node("Expand", {one, to.ints(op.input(0).dims())}));
      }
      return to.status();
    }
    const Ref wide = widened(to, x);
    const DType dtype = to.type(wide).dtype;
    const Ref ratio =
        op.has_input(1) ? reshaped(to, cast_to(to, to.input(1), dtype), {}) : to.scalar(dtype, 0.5);
    const Ref u = random_numbers(to, op, x, {dtype, op.input(0).dims()});
    const Ref keep = to.node("GreaterOrEqual", {u, ratio});
    const Ref rest = to.node("Sub", {to.scalar(dtype, 1.0), ratio});
    const Ref y = to.node("Where", {keep, to.node("Div", {wide, rest}), to.scalar(dtype, 0.0)});
    to.output(0, cast_to(to, y, op.input(0).dtype));
    if (op.outputs.size() > 1) to.output(1, keep);
    return to.status();
  }
};

}  // namespace

void add_random(std::vector<const Operator*>& all) {
  all.push_back(new Random);
  all.push_back(new RandomNumbers("RandomNormal", true, false));
  all.push_back(new RandomNumbers("RandomNormalLike", true, true));
  all.push_back(new RandomNumbers("RandomUniform", false, false));
  all.push_back(new RandomNumbers("RandomUniformLike", false, true));
  all.push_back(new Bernoulli);
  all.push_back(new Dropout);
  all.push_back(new Multinomial);
}

}  // namespace frit

// DFT and STFT, expanded into products (fourier.h). float16 and bfloat16 are computed in float32.
#include <fmt/format.h>

#include <optional>

#include "ops/operator.h"
#include "ops/fourier.h"
#include "ops/limits.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;

Ref reshape(Expansion& to, Ref x, const Ints& dims) {
  return to.node("Reshape", {x, to.ints(dims)}, {{"allowzero", std::int64_t{1}}});
}

Ref cast(Expansion& to, Ref x, DType dtype) {
  if (to.type(x).dtype == dtype) return x;
  return to.node("Cast", {x}, {{"to", onnx_number(dtype)}});
}

DType wide_type(DType dtype) { return dtype == DType::kF64 ? dtype : DType::kF32; }

/// The one number of a constant input; `otherwise` where it is left out.
Result<std::int64_t> scalar_input(const OpInstance& op, std::size_t i, const char* name,
                                  std::int64_t otherwise) {
  auto value = integer_input(op, i, name);
  if (!value) return fail(std::move(value).error());
  if (*value == nullptr) return otherwise;
  if ((*value)->elements() == 1) return (*value)->to_ints()[0];
  return fail("onnx-shape",
              fmt::format("{}: its {} is {} but must be one number; correct the model", label(op),
                          name, to_text((*value)->type())));
}

/// Error "onnx-shape" unless the last axis of input 0 holds one or two numbers.
Status check_parts(const OpInstance& op, int least_rank, const char* form) {
  FRIT_TRY(check_constant_shape(op, 0, "its input"));
  const TensorType& x = op.input(0);
  if (x.rank() >= least_rank && (x.dims().back() == 1 || x.dims().back() == 2)) return {};
  return fail("onnx-shape",
              fmt::format("{}: its input is {} but must be {}, with 1 (real) or 2 (real and "
                          "imaginary) numbers in the last axis; reshape it before",
                          label(op), to_text(x), form));
}

Status check_length(const OpInstance& op, const char* name, std::int64_t length) {
  constexpr std::int64_t kMost = std::int64_t{1} << 24;  // tables of that many factors
  if (length >= 1 && length <= kMost) return {};
  return fail("onnx-shape",
              fmt::format("{}: its {} is {} but must be from 1 to {}; correct the model", label(op),
                          name, length, kMost));
}

/// Extents of the transformed axis, and what happens along it.
struct DftSpec {
  std::size_t axis = 0;
  std::int64_t length = 0, out = 0, parts = 2;
  bool inverse = false, onesided = false;
};

Result<DftSpec> dft_spec_of(const OpInstance& op) {
  FRIT_TRY(check_parts(op, 2, "[…, signal, …, 1 or 2]"));
  const Ints dims = op.input(0).dims();
  const int rank = op.input(0).rank();
  DftSpec spec;
  spec.inverse = int_attribute(op.attributes, "inverse", 0) != 0;
  spec.onesided = int_attribute(op.attributes, "onesided", 0) != 0;
  auto stated = op.opset < 20 ? Result<std::int64_t>(int_attribute(op.attributes, "axis", 1))
                              : scalar_input(op, 2, "axis", -2);
  if (!stated) return fail(std::move(stated).error());
  const auto axis = normal_axis(*stated, rank);
  if (!axis || *axis == rank - 1) {
    return fail("onnx-attribute",
                fmt::format("{}: its axis is {} but its input {} has signals along axes 0 to {} "
                            "only; correct the axis",
                            label(op), *stated, to_text(op.input(0)), rank - 2));
  }
  spec.axis = static_cast<std::size_t>(*axis);
  if (spec.onesided && (dims.back() == 2) != spec.inverse) {
    return fail("onnx-attribute",
                fmt::format("{}: onesided is 1 and inverse {} but its input {} has {} number(s) an "
                            "element; the forward transform takes real input, the inverse complex: "
                            "set onesided to 0",
                            label(op), int{spec.inverse}, to_text(op.input(0)), dims.back()));
  }
  const std::int64_t in = dims[spec.axis];
  const bool to_real = spec.onesided && spec.inverse;
  auto length = scalar_input(op, 1, "dft_length", to_real ? 2 * (in - 1) : in);
  if (!length) return fail(std::move(length).error());
  FRIT_TRY(check_length(op, "dft_length", *length));
  spec.length = *length;
  spec.out = spec.onesided && !spec.inverse ? spec.length / 2 + 1 : spec.length;
  spec.parts = to_real ? 1 : 2;
  return spec;
}

/// x: [rows, in, parts] cut or filled with zeros to [rows, length, parts].
Ref fitted(Expansion& to, Ref x, std::int64_t length) {
  const std::int64_t in = to.dims(x)[1];
  if (in == length) return x;
  if (in < length) return to.node("Pad", {x, to.ints({0, 0, 0, 0, length - in, 0})});
  return to.node("Slice", {x, to.ints({0}), to.ints({length}), to.ints({1})});
}

/// [rows, length/2+1, 2] to the [rows, length, 2] that it is half of: X[n-k] = conj X[k]. The
/// imaginary parts of X[0] and X[n/2] are not looked at.
Ref mirrored(Expansion& to, Ref half, std::int64_t length) {
  const std::int64_t last = (length - 1) / 2;  // the greatest k that has a mirror image
  const DType dtype = to.type(half).dtype;
  const auto real_only = [&](std::int64_t k) {
    const Ref one = to.node("Slice", {half, to.ints({k, 0}), to.ints({k + 1, 1}), to.ints({1, 2})});
    return to.node("Pad", {one, to.ints({0, 0, 0, 0, 0, 1})});
  };
  std::vector<Ref> parts = {real_only(0)};
  if (last > 0)
    parts.push_back(to.node("Slice", {half, to.ints({1}), to.ints({last + 1}), to.ints({1})}));
  if (length % 2 == 0) parts.push_back(real_only(length / 2));
  if (last > 0) {
    const Ref back =
        to.node("Slice", {half, to.ints({last}), to.ints({0}), to.ints({1}), to.ints({-1})});
    const Tensor signs = dtype == DType::kF64 ? Tensor::of<double>(dtype, {2}, {1.0, -1.0})
                                              : Tensor::f32({2}, {1.0F, -1.0F});
    parts.push_back(to.node("Mul", {back, to.constant(signs)}));
  }
  return parts.size() == 1 ? parts[0] : to.node("Concat", parts, {{"axis", std::int64_t{1}}});
}

/// y[k] = sum over n of x[n] e^(-2 pi j k n / N); the inverse with e^(+…) / N. Opsets 17 and 20.
class Dft final : public Composite {
 public:
  std::string_view type() const override { return "DFT"; }
  std::string_view formula() const override {
    return "out[k] = sum_n x[n] * exp(-2 pi j k n / N), along axis; inverse: 1/N sum_n x[n] * "
           "exp(+2 pi j k n / N)\n"
           "axis: attribute before opset 20, then input; onesided: k <= N/2";
  }
  int first_opset() const override { return 17; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"axis", AttributeKind::kInt},
                                   {"inverse", AttributeKind::kInt},
                                   {"onesided", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 1, op.opset < 20 ? 2 : 3));
    FRIT_TRY(check_dtype(op, 0, "its input", float_types()));
    auto spec = dft_spec_of(op);
    if (!spec) return fail(std::move(spec).error());
    Ints dims = op.input(0).dims();
    dims[spec->axis] = spec->out;
    dims.back() = spec->parts;
    FRIT_TRY(check_size(op, dims));
    return std::vector{TensorType(op.input(0).dtype, dims)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    auto spec = dft_spec_of(op);
    if (!spec) return fail(std::move(spec).error());
    const DType dtype = op.input(0).dtype;
    Ref x = cast(to, to.input(0), wide_type(dtype));
    // The axis beside the last, all others rows.
    Ints dims = to.dims(x), perm, back(dims.size());
    const std::size_t rank = dims.size();
    for (std::size_t a = 0; a < rank; ++a) {
      if (a != spec->axis && a + 1 < rank) perm.push_back(static_cast<std::int64_t>(a));
    }
    perm.insert(perm.end(),
                {static_cast<std::int64_t>(spec->axis), static_cast<std::int64_t>(rank - 1)});
    Ints moved;
    for (std::size_t a = 0; a < rank; ++a) {
      back[static_cast<std::size_t>(perm[a])] = static_cast<std::int64_t>(a);
      moved.push_back(dims[static_cast<std::size_t>(perm[a])]);
    }
    const bool moves = spec->axis + 2 != rank;
    if (moves) x = to.node("Transpose", {x}, {{"perm", perm}});
    const std::int64_t in = dims[spec->axis], parts = dims.back();
    std::int64_t rows = 1;
    for (std::size_t a = 0; a + 2 < rank; ++a) rows *= moved[a];
    Ref y = transformed(to, reshape(to, x, {rows, in, parts}), *spec);
    moved[rank - 2] = spec->out;
    moved[rank - 1] = spec->parts;
    y = reshape(to, y, moved);
    if (moves) y = to.node("Transpose", {y}, {{"perm", back}});
    to.output(0, cast(to, y, dtype));
    return to.status();
  }

 private:
  static Ref transformed(Expansion& to, Ref x, const DftSpec& spec) {
    FourierRows rows;
    rows.inverse = spec.inverse;
    if (spec.inverse) rows.scale = 1.0 / static_cast<double>(spec.length);
    if (spec.parts == 1) {
      const Ref half = fitted(to, x, spec.length / 2 + 1);
      const Ref y = fourier_rows(to, mirrored(to, half, spec.length), rows);
      return to.node("Slice", {y, to.ints({0}), to.ints({1}), to.ints({2})});
    }
    rows.kept = spec.out;
    return fourier_rows(to, fitted(to, x, spec.length), rows);
  }
};

struct StftSpec {
  std::int64_t step = 0, length = 0, frames = 0, out = 0;
};

Result<StftSpec> stft_spec_of(const OpInstance& op) {
  FRIT_TRY(check_parts(op, 3, "[batch, signal, 1 or 2]"));
  const Ints dims = op.input(0).dims();
  if (dims.size() != 3) {
    return fail("onnx-shape", fmt::format("{}: its signal is {} but must be [batch, signal, 1 or "
                                          "2]; reshape it before",
                                          label(op), to_text(op.input(0))));
  }
  std::int64_t window = dims[1];
  if (op.has_input(2)) {
    FRIT_TRY(check_constant_shape(op, 2, "its window"));
    if (op.input(2).rank() != 1) {
      return fail("onnx-shape", fmt::format("{}: its window is {} but must be a list; correct the "
                                            "model",
                                            label(op), to_text(op.input(2))));
    }
    window = op.input(2).dims()[0];
  }
  StftSpec spec;
  auto step = scalar_input(op, 1, "frame_step", 1),
       length = scalar_input(op, 3, "frame_length", window);
  if (!step) return fail(std::move(step).error());
  if (!length) return fail(std::move(length).error());
  FRIT_TRY(check_length(op, "frame_step", *step));
  FRIT_TRY(check_length(op, "frame_length", *length));
  if (*length > dims[1] || (op.has_input(2) && *length != window)) {
    return fail("onnx-shape",
                fmt::format("{}: its frame_length is {} but its signal is {} and its window has {} "
                            "elements; correct the model or pass --shape",
                            label(op), *length, to_text(op.input(0)), window));
  }
  const bool onesided = int_attribute(op.attributes, "onesided", 1) != 0;
  if (onesided && dims[2] == 2) {
    return fail("onnx-attribute",
                fmt::format("{}: onesided is 1 (its default) but its signal {} is complex, whose "
                            "spectrum has no symmetry; set onesided to 0",
                            label(op), to_text(op.input(0))));
  }
  spec.step = *step;
  spec.length = *length;
  spec.frames = (dims[1] - spec.length) / spec.step + 1;
  spec.out = onesided ? spec.length / 2 + 1 : spec.length;
  return spec;
}

/// The DFT of each frame of the signal times the window. Opset 17.
class Stft final : public Composite {
 public:
  std::string_view type() const override { return "STFT"; }
  std::string_view formula() const override {
    return "out[b,f,k] = sum_n window[n] * x[b, f*frame_step + n] * exp(-2 pi j k n / "
           "frame_length)";
  }
  int first_opset() const override { return 17; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"onesided", AttributeKind::kInt}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    FRIT_TRY(check_inputs(op, 2, 4));
    FRIT_TRY(check_dtype(op, 0, "its signal", float_types()));
    if (op.has_input(2)) FRIT_TRY(check_same_dtype(op, 0, 2));
    auto spec = stft_spec_of(op);
    if (!spec) return fail(std::move(spec).error());
    const Ints dims = {op.input(0).dims()[0], spec->frames, spec->out, 2};
    FRIT_TRY(check_size(op, dims));
    return std::vector{TensorType(op.input(0).dtype, dims)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    auto spec = stft_spec_of(op);
    if (!spec) return fail(std::move(spec).error());
    const DType dtype = op.input(0).dtype, wide = wide_type(dtype);
    const std::int64_t batch = op.input(0).dims()[0], parts = op.input(0).dims()[2];
    Ints positions;
    for (std::int64_t frame = 0; frame < spec->frames; ++frame) {
      for (std::int64_t i = 0; i < spec->length; ++i) positions.push_back(frame * spec->step + i);
    }
    const Ref table = to.constant(Tensor::i64({spec->frames, spec->length}, positions));
    Ref frames =
        to.node("Gather", {cast(to, to.input(0), wide), table}, {{"axis", std::int64_t{1}}});
    if (to.input(2)) {
      const Ref window = reshape(to, cast(to, to.input(2), wide), {spec->length, 1});
      frames = to.node("Mul", {frames, window});
    }
    FourierRows rows;
    rows.kept = spec->out;
    const Ref y =
        fourier_rows(to, reshape(to, frames, {batch * spec->frames, spec->length, parts}), rows);
    to.output(0, cast(to, reshape(to, y, {batch, spec->frames, spec->out, 2}), dtype));
    return to.status();
  }
};

}  // namespace

void add_dft(std::vector<const Operator*>& all) { all.insert(all.end(), {new Dft, new Stft}); }

}  // namespace frit

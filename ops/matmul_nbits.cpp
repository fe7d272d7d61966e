// com.microsoft's MatMulNBits: a product with a matrix stored in 2, 4 or 8 bits, block by block.
//
//   Y[…,n] = sum_k A[…,k] (q[n,k] - zero[n,b]) scale[n,b] + bias[n],   b = k / block_size
//
// q is B[N, blocks, block_size bits / 8], the lowest bits of a byte first; `zero` is packed in the
// same way, each row filled up to whole bytes, or of A's type, and 2^(bits-1) when left out; with
// g_idx b is g_idx[k]. Written as MatMul of the dequantised matrix, which is folded where B is
// constant. float16 and bfloat16 are summed in float32.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/families.h"
#include "ops/norm_parts.h"
#include "ops/operator.h"
#include "ops/rules.h"

namespace frit {
namespace {

using Ints = std::vector<std::int64_t>;
using enum AttributeKind;

enum Place : std::size_t { kA, kB, kScales, kZeros, kGroups, kBias, kPlaces };

struct Sizes {
  std::int64_t k = 0, n = 0, bits = 4, block = 0;

  std::int64_t blocks() const { return (k + block - 1) / block; }
  std::int64_t blob() const { return block * bits / 8; }
  std::int64_t zero_bytes() const { return (blocks() * bits + 7) / 8; }
};

Result<Sizes> sizes_of(const OpInstance& op) {
  constexpr std::int64_t kMost = std::int64_t{1} << 24;
  Sizes sizes;
  sizes.k = int_attribute(op.attributes, "K", 0);
  sizes.n = int_attribute(op.attributes, "N", 0);
  sizes.bits = int_attribute(op.attributes, "bits", 4);
  sizes.block = int_attribute(op.attributes, "block_size", 0);
  const bool bits = sizes.bits == 2 || sizes.bits == 4 || sizes.bits == 8;
  const bool block = sizes.block >= 16 && (sizes.block & (sizes.block - 1)) == 0;
  if (bits && block && sizes.block <= kMost && std::min(sizes.k, sizes.n) >= 1 &&
      std::max(sizes.k, sizes.n) <= kMost) {
    return sizes;
  }
  return fail(
      "onnx-attribute",
      fmt::format("{}: K, N, bits and block_size are {}, {}, {} and {} but must be positive, "
                  "bits 2, 4 or 8, and block_size a power of 2 from 16 on; correct the "
                  "attributes",
                  label(op), sizes.k, sizes.n, sizes.bits, sizes.block));
}

class MatMulNBits final : public Composite {
 public:
  std::string_view type() const override { return "MatMulNBits"; }
  std::string_view formula() const override {
    return "out[b,m,n] = bias[n] + sum_k a[b,m,k] * (q[n,k] - zero[n,j]) * scale[n,j], j = k / "
           "block_size or g_idx[k]\n"
           "q: bits each, blocks of a row of B packed with the lowest bits of a byte first";
  }
  std::string_view domain() const override { return "com.microsoft"; }
  const Attributes& attributes() const override {
    static const Attributes all = {{"K", kInt, kAlways},
                                   {"N", kInt, kAlways},
                                   {"accuracy_level", kInt},
                                   {"bits", kInt},
                                   {"block_size", kInt, kAlways}};
    return all;
  }

  Result<std::vector<TensorType>> infer(const OpInstance& op) const override {
    constexpr std::array kFloats = {DType::kF32, DType::kF16, DType::kBF16};
    constexpr std::array kByte = {DType::kU8};
    constexpr std::array kIndex = {DType::kI32};
    FRIT_TRY(check_inputs(op, 3, kPlaces));
    FRIT_TRY(check_dtype(op, kA, "A", kFloats));
    FRIT_TRY(check_dtype(op, kB, "B", kByte));
    FRIT_TRY(check_same_dtype(op, kA, kScales));
    if (op.has_input(kZeros) && op.input(kZeros).dtype != DType::kU8)
      FRIT_TRY(check_same_dtype(op, kA, kZeros));
    if (op.has_input(kGroups)) FRIT_TRY(check_dtype(op, kGroups, "g_idx", kIndex));
    if (op.has_input(kBias)) FRIT_TRY(check_same_dtype(op, kA, kBias));
    const auto sizes = sizes_of(op);
    if (!sizes) return fail(sizes.error());
    FRIT_TRY(check_shapes(op, *sizes));
    Ints out = op.input(kA).dims();
    out.back() = sizes->n;
    return std::vector{TensorType(op.input(kA).dtype, out)};
  }

  Status expand(const OpInstance& op, Expansion& to) const override {
    const Sizes sizes = *sizes_of(op);
    const std::int64_t blocks = sizes.blocks(), padded = blocks * sizes.block;
    Ref q = cast_to(to,
                    unpacked(to, reshaped(to, to.input(kB), {sizes.n, blocks * sizes.blob()}),
                             sizes.bits, padded),
                    DType::kF32);
    Ref scale = reshaped(to, cast_to(to, to.input(kScales), DType::kF32), {sizes.n, blocks});
    Ref zero = zeros(to, sizes);
    if (op.has_input(kGroups)) {
      // The groups of each k; q's padding goes first.
      q = first(to, q, sizes.k);
      const AttributeMap columns = {{"axis", std::int64_t{1}}};
      scale = to.node("Gather", {scale, to.input(kGroups)}, columns);
      if (to.dims(zero).size() == 2) zero = to.node("Gather", {zero, to.input(kGroups)}, columns);
      q = to.node("Mul", {to.node("Sub", {q, zero}), scale});
    } else {
      const auto beside = [&](Ref x) {
        return to.dims(x).size() == 2 ? reshaped(to, x, {sizes.n, blocks, 1}) : x;
      };
      q = reshaped(to, q, {sizes.n, blocks, sizes.block});
      q = to.node("Mul", {to.node("Sub", {q, beside(zero)}), beside(scale)});
      q = first(to, reshaped(to, q, {sizes.n, padded}), sizes.k);
    }
    const Ref w = to.node("Transpose", {q}, {{"perm", Ints{1, 0}}});
    Ref y = to.node("MatMul", {cast_to(to, to.input(kA), DType::kF32), w});
    if (op.has_input(kBias)) y = to.node("Add", {y, cast_to(to, to.input(kBias), DType::kF32)});
    to.output(0, cast_to(to, y, op.input(kA).dtype));
    return to.status();
  }

 private:
  static Status check_shapes(const OpInstance& op, const Sizes& sizes) {
    const Ints a = op.input(kA).dims();
    if (a.empty() || a.back() != sizes.k) {
      return fail("onnx-shape", fmt::format("{}: A is {} but K is {}; correct the model", label(op),
                                            to_text(op.input(kA)), sizes.k));
    }
    const bool packed = op.has_input(kZeros) && op.input(kZeros).dtype == DType::kU8;
    const std::array<std::int64_t, kPlaces> wanted = {
        -1,
        sizes.n * sizes.blocks() * sizes.blob(),
        sizes.n * sizes.blocks(),
        sizes.n * (packed ? sizes.zero_bytes() : sizes.blocks()),
        sizes.k,
        sizes.n};
    for (std::size_t i = kB; i < kPlaces; ++i) {
      if (!op.has_input(i) || op.input(i).elements() == wanted[i]) continue;
      return fail("onnx-shape",
                  fmt::format("{}: input {} is {} but K, N, bits and block_size ask for {} "
                              "elements; correct the model",
                              label(op), i, to_text(op.input(i)), wanted[i]));
    }
    return {};
  }

  static Ref reshaped(Expansion& to, Ref x, const Ints& dims) {
    return to.dims(x) == dims ? x : to.node("Reshape", {x, to.ints(dims)});
  }

  /// The first `count` columns.
  static Ref first(Expansion& to, Ref x, std::int64_t count) {
    if (to.dims(x).back() == count) return x;
    return to.node("Slice", {x, to.ints({0}), to.ints({count}), to.ints({1})});
  }

  /// u8[rows, count] of the packed u8[rows, bytes], the lowest bits first.
  static Ref unpacked(Expansion& to, Ref bytes, std::int64_t bits, std::int64_t count) {
    if (bits == 8) return first(to, bytes, count);
    const std::int64_t rows = to.dims(bytes)[0], each = 8 / bits, width = to.dims(bytes)[1];
    std::vector<std::uint8_t> shifts;
    for (std::int64_t at = 0; at < 8; at += bits) shifts.push_back(static_cast<std::uint8_t>(at));
    const Ref apart = reshaped(to, bytes, {rows, width, 1});
    const Ref moved =
        to.node("BitShift", {apart, to.constant(Tensor::of(DType::kU8, {each}, shifts))},
                {{"direction", std::string("RIGHT")}});
    const Ref mask = to.scalar(DType::kU8, static_cast<double>((1 << bits) - 1));
    const Ref codes = to.node("BitwiseAnd", {moved, mask});
    return first(to, reshaped(to, codes, {rows, width * each}), count);
  }

  /// f32[N, blocks], or a scalar where the model leaves them out.
  static Ref zeros(Expansion& to, const Sizes& sizes) {
    const Ref given = to.input(kZeros);
    if (!given) return to.scalar(DType::kF32, static_cast<double>(1 << (sizes.bits - 1)));
    Ref zero = given;
    if (to.type(given).dtype == DType::kU8) {
      zero = unpacked(to, reshaped(to, given, {sizes.n, sizes.zero_bytes()}), sizes.bits,
                      sizes.blocks());
    }
    return reshaped(to, cast_to(to, zero, DType::kF32), {sizes.n, sizes.blocks()});
  }
};

}  // namespace

void add_matmul_nbits(std::vector<const Operator*>& all) { all.push_back(new MatMulNBits); }

}  // namespace frit

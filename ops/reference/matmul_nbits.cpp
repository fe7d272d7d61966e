// MatMulNBits: the stored matrix code by code, then MatMul.
#include "ops/reference/steps.h"

namespace frit::ref {
namespace {

// Number `i` of a row of codes that starts at byte `row`.
std::int64_t code_at(const RefTensor& packed, std::int64_t row, std::int64_t i, std::int64_t bits) {
  const std::int64_t byte = packed.integer[static_cast<std::size_t>(row + i * bits / 8)];
  return (byte >> (i * bits % 8)) & ((1 << bits) - 1);
}

Outputs matmul_nbits(const Call& call) {
  enum : std::size_t { kA, kB, kScales, kZeros, kGroups, kBias };
  const std::int64_t k = call.attr("K", std::int64_t{0}), n = call.attr("N", std::int64_t{0});
  const std::int64_t bits = call.attr("bits", std::int64_t{4});
  const std::int64_t block = call.attr("block_size", std::int64_t{0});
  if (block < 1 || k < 1 || n < 1) return call.refuse("its attributes");
  const std::int64_t blocks = (k + block - 1) / block, zero_bytes = (blocks * bits + 7) / 8;
  FRIT_TRY(need_float(call, kScales));
  Result<RefTensor> w = make(call, DType::kF32, {k, n});
  if (!w) return tl::unexpected<Diagnostic>(w.error());
  if (call.bounded()) w->bound.assign(w->real.size(), 0.0);
  for (std::int64_t column = 0; column < n; ++column) {
    for (std::int64_t i = 0; i < k; ++i) {
      const std::int64_t group =
          call.has(kGroups) ? call.in(kGroups).integer[static_cast<std::size_t>(i)] : i / block;
      const auto at = static_cast<std::size_t>(column * blocks + group);
      double zero = static_cast<double>(1 << (bits - 1));
      if (call.has(kZeros) && call.in(kZeros).dtype == DType::kU8)
        zero = static_cast<double>(code_at(call.in(kZeros), column * zero_bytes, group, bits));
      else if (call.has(kZeros))
        zero = call.in(kZeros).real[at];
      const auto code =
          static_cast<double>(code_at(call.in(kB), column * blocks * block * bits / 8, i, bits));
      const auto to = static_cast<std::size_t>(i * n + column);
      w->real[to] = (code - zero) * call.in(kScales).real[at];
      // The difference rounds where the zero point is a float, and the product.
      if (call.bounded()) w->bound[to] = 2.0 * kEps * std::fabs(w->real[to]) + kSubnormal;
      if (call.naive()) w->real[to] = static_cast<double>(static_cast<float>(w->real[to]));
    }
  }
  Steps steps(call);
  const auto as = [&](const RefTensor* x, DType dtype) {
    return x->dtype == dtype ? x : steps.run("Cast", {x}, {{"to", onnx_number(dtype)}});
  };
  const RefTensor* y =
      steps.run("MatMul", {as(&call.in(kA), DType::kF32), steps.keep(std::move(*w))});
  if (call.has(kBias)) y = steps.run("Add", {y, as(&call.in(kBias), DType::kF32)});
  return steps.outputs({as(y, call.in(kA).dtype)});
}

constexpr Entry kEntries[] = {{"com.microsoft.MatMulNBits", 3, 6, matmul_nbits}};

}  // namespace

std::span<const Entry> matmul_nbits_entries() { return kEntries; }

}  // namespace frit::ref

// DepthToSpace and SpaceToDepth: each element of the input is put where it belongs.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

using std::size_t;

Outputs refused(Diagnostic diagnostic) { return tl::unexpected<Diagnostic>(std::move(diagnostic)); }

void copy_element(const RefTensor& x, size_t from, RefTensor& y, size_t to) {
  if (x.real.empty()) {
    y.integer[to] = x.integer[from];
  } else {
    y.real[to] = x.real[from];
  }
  if (!x.bound.empty()) y.bound[to] = x.bound[from];
}

/// Visits the deep shape [n, c*b*b, y, x] in order: f(deep element, wide element), the latter in
/// [n, c, y*b, x*b]. A deep channel is block row, block column and channel; `blocks_first` says
/// that the blocks are its slower part.
template <class F>
void each_pair(const Dims& deep, std::int64_t block, bool blocks_first, F f) {
  const std::int64_t channels = deep[1] / (block * block), rows = deep[2], columns = deep[3];
  size_t element = 0;
  for (std::int64_t n = 0; n < deep[0]; ++n) {
    for (std::int64_t d = 0; d < deep[1]; ++d) {
      const std::int64_t c = blocks_first ? d % channels : d / (block * block);
      const std::int64_t cell = blocks_first ? d / channels : d % (block * block);
      for (std::int64_t y = 0; y < rows; ++y) {
        for (std::int64_t x = 0; x < columns; ++x) {
          const std::int64_t wide_y = y * block + cell / block, wide_x = x * block + cell % block;
          const std::int64_t wide =
              ((n * channels + c) * rows * block + wide_y) * columns * block + wide_x;
          f(element++, static_cast<size_t>(wide));
        }
      }
    }
  }
}

Result<std::int64_t> block_of(const Call& call) {
  const std::int64_t block = call.attr("blocksize", std::int64_t{0});
  if (block < 1 || block > 1 << 15) {  // its square times any extent stays inside 64 bits
    return call.refuse(fmt::format("blocksize is {}", block));
  }
  if (call.in(0).dims.size() != 4) {
    return call.refuse("input " + dims_text(call.in(0).dims) + " has not four axes");
  }
  return block;
}

Outputs depth_to_space(const Call& call) {
  const Result<std::int64_t> block = block_of(call);
  if (!block) return refused(block.error());
  const std::string mode = string_attribute(call.op.attributes, "mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return call.refuse("mode is \"" + mode + "\"");
  const RefTensor& x = call.in(0);
  const std::int64_t cells = *block * *block;
  if (x.dims[1] % cells != 0) {
    return call.refuse(fmt::format("{} does not divide {}", cells, dims_text(x.dims)));
  }
  const Dims wide = {x.dims[0], x.dims[1] / cells, x.dims[2] * *block, x.dims[3] * *block};
  Result<RefTensor> y = make(call, x.dtype, wide);
  if (!y) return refused(y.error());
  y->bound.assign(x.bound.size(), 0.0);
  each_pair(x.dims, *block, mode == "DCR",
            [&](size_t from, size_t to) { copy_element(x, from, *y, to); });
  return one(std::move(*y));
}

Outputs space_to_depth(const Call& call) {
  const Result<std::int64_t> block = block_of(call);
  if (!block) return refused(block.error());
  const std::string mode = string_attribute(call.op.attributes, "mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return call.refuse("mode is \"" + mode + "\"");
  const RefTensor& x = call.in(0);
  if (x.dims[2] % *block != 0 || x.dims[3] % *block != 0) {
    return call.refuse(fmt::format("{} does not divide {}", *block, dims_text(x.dims)));
  }
  const Dims deep = {x.dims[0], x.dims[1] * *block * *block, x.dims[2] / *block,
                     x.dims[3] / *block};
  Result<RefTensor> y = make(call, x.dtype, deep);
  if (!y) return refused(y.error());
  y->bound.assign(x.bound.size(), 0.0);
  each_pair(deep, *block, mode == "DCR",
            [&](size_t to, size_t from) { copy_element(x, from, *y, to); });
  return one(std::move(*y));
}

}  // namespace

std::span<const Entry> depth_space_entries() {
  static constexpr Entry kEntries[] = {{"DepthToSpace", 1, 1, depth_to_space},
                                       {"SpaceToDepth", 1, 1, space_to_depth}};
  return kEntries;
}

}  // namespace frit::ref

#include "ops/reference/rows.h"

#include <algorithm>

namespace frit::ref {
namespace {

std::vector<std::size_t> offsets_of(const Dims& dims, const Dims& strides) {
  std::vector<std::size_t> offsets;
  walk(dims, std::array<Dims, 1>{strides}, [&](std::size_t, const std::array<std::int64_t, 1>& at) {
    offsets.push_back(static_cast<std::size_t>(at[0]));
  });
  return offsets;
}

}  // namespace

Rows rows_of(const Dims& dims, const std::vector<std::size_t>& axes) {
  const Dims strides = dense_strides(dims);
  Rows rows;
  Dims kept_strides;
  Dims inner;
  Dims inner_strides;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const bool reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    (reduced ? inner : rows.kept).push_back(dims[axis]);
    (reduced ? inner_strides : kept_strides).push_back(strides[axis]);
    rows.kept_ones.push_back(reduced ? 1 : dims[axis]);
  }
  rows.origin = offsets_of(rows.kept, kept_strides);
  rows.offset = offsets_of(inner, inner_strides);
  return rows;
}

}  // namespace frit::ref

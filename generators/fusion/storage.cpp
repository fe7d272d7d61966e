// Memory layout arithmetic of plan.h.
#include <fmt/format.h>

#include "generators/fusion/plan.h"

namespace frit {
namespace {

std::int64_t stored_extent(const Storage& storage, const std::vector<std::int64_t>& dims,
                           std::size_t axis) {
  std::int64_t extent = dims[axis];
  if (axis < storage.halo_low.size()) extent += storage.halo_low[axis] + storage.halo_high[axis];
  return extent;
}

}  // namespace

bool Storage::has_halo() const {
  for (std::size_t axis = 0; axis < halo_low.size(); ++axis) {
    if (halo_low[axis] != 0 || halo_high[axis] != 0) return true;
  }
  return false;
}

Storage dense_storage(int rank) {
  Storage storage;
  for (int axis = rank - 1; axis >= 0; --axis) storage.order.push_back(axis);
  return storage;
}

std::vector<std::int64_t> strides_of(const Storage& storage,
                                     const std::vector<std::int64_t>& dims) {
  std::vector<std::int64_t> strides(dims.size(), 0);
  std::int64_t stride = 1;
  for (const int axis : storage.order) {
    const auto a = static_cast<std::size_t>(axis);
    strides[a] = stride;
    stride *= stored_extent(storage, dims, a);
  }
  return strides;
}

std::int64_t stored_elements(const Storage& storage, const std::vector<std::int64_t>& dims) {
  std::int64_t product = 1;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    product *= stored_extent(storage, dims, axis);
  }
  return product;
}

std::int64_t origin_offset(const Storage& storage, const std::vector<std::int64_t>& dims) {
  const std::vector<std::int64_t> strides = strides_of(storage, dims);
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < storage.halo_low.size(); ++axis) {
    offset += storage.halo_low[axis] * strides[axis];
  }
  return offset;
}

std::string to_text(const Storage& storage, const std::vector<std::int64_t>& dims) {
  std::string text;
  for (std::size_t i = storage.order.size(); i-- > 0;) {
    const auto axis = static_cast<std::size_t>(storage.order[i]);
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", axis, dims[axis]);
    if (axis < storage.halo_low.size() &&
        (storage.halo_low[axis] != 0 || storage.halo_high[axis] != 0)) {
      text += fmt::format("(+{}+{})", storage.halo_low[axis], storage.halo_high[axis]);
    }
  }
  return text;
}

}  // namespace frit

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

/// Elements between the lowest stored element and logical index 0.
std::int64_t halo_before(const Storage& storage, const std::vector<std::int64_t>& dims) {
  const std::vector<std::int64_t> strides = strides_of(storage, dims);
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < storage.halo_low.size(); ++axis) {
    offset += storage.halo_low[axis] * strides[axis];
  }
  return offset;
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
  if (storage.is_view()) return storage.strides;
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
  const std::vector<std::int64_t> strides = strides_of(storage, dims);
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < dims.size(); ++axis) {
    const std::int64_t extent = stored_extent(storage, dims, axis);
    if (extent == 0) return 0;
    last += (extent - 1) * strides[axis];
  }
  return last + 1;
}

std::int64_t origin_offset(const Storage& storage, const std::vector<std::int64_t>& dims) {
  if (storage.is_view()) return storage.offset;
  return halo_before(storage, dims);
}

std::int64_t first_offset(const Storage& storage, const std::vector<std::int64_t>& dims) {
  return storage.is_view() ? storage.offset - halo_before(storage, dims) : 0;
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
  if (text.empty()) text = "scalar";
  if (storage.has_halo() && storage.halo_fill != 0)
    text += fmt::format(" fill {}", storage.halo_fill);
  if (storage.is_view()) {
    text += fmt::format(" strides {} offset {}", dims_text(storage.strides), storage.offset);
  }
  return text;
}

}  // namespace frit

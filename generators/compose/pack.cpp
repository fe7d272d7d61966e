#include "generators/compose/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace frit {
namespace {

int axis_position(const std::vector<std::string>& axes, const std::string& name) {
  const auto found = std::find(axes.begin(), axes.end(), name);
  return found == axes.end() ? -1 : static_cast<int>(found - axes.begin());
}

// The dims that split one axis, finest first, must chain: divisor 1, then divisor = modulus so far.
Status check_axis(const PackSpec& pack, const std::string& axis, std::int64_t extent) {
  std::vector<PackSpec::Dim> parts;
  for (const PackSpec::Dim& dim : pack.dims) {
    if (dim.axis == axis) parts.push_back(dim);
  }
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.divisor < b.divisor; });
  std::int64_t covered = 1;
  bool open_ended = false;
  for (const PackSpec::Dim& part : parts) {
    if (open_ended || part.divisor != covered || part.modulus < 0) {
      return fail("compose-pack", fmt::format("pack {}: the parts of axis {} do not follow one "
                                              "another: expected {} / {}; correct the pack line",
                                              pack.role, axis, axis, covered));
    }
    open_ended = part.modulus == 0;
    covered *= std::max<std::int64_t>(part.modulus, 1);
  }
  if (parts.empty() || (!open_ended && covered < extent)) {
    return fail("compose-pack",
                fmt::format("pack {}: axis {} has {} elements but the pack covers {}; add {} / {}",
                            pack.role, axis, extent, parts.empty() ? 0 : covered, axis, covered));
  }
  return {};
}

}  // namespace

Result<std::vector<std::int64_t>> packed_extents(const PackSpec& pack,
                                                 const std::vector<std::string>& axes,
                                                 const std::vector<std::int64_t>& dims) {
  for (std::size_t a = 0; a < axes.size(); ++a) FRIT_TRY(check_axis(pack, axes[a], dims[a]));
  std::vector<std::int64_t> extents;
  for (const PackSpec::Dim& dim : pack.dims) {
    const int axis = axis_position(axes, dim.axis);
    if (axis < 0) {
      return fail("compose-pack", fmt::format("pack {}: there is no axis {}; its axes are {}",
                                              pack.role, dim.axis, fmt::join(axes, ", ")));
    }
    const std::int64_t extent = dims[static_cast<std::size_t>(axis)];
    extents.push_back(dim.modulus > 0 ? dim.modulus : (extent + dim.divisor - 1) / dim.divisor);
  }
  return extents;
}

Tensor pack_constant(const Tensor& tensor, const std::vector<std::string>& axes,
                     const PackSpec& pack) {
  const std::vector<std::int64_t> extents = packed_extents(pack, axes, tensor.dims()).value();
  const auto element = static_cast<std::size_t>(size_bytes(tensor.dtype()));
  std::size_t count = 1;
  for (const std::int64_t extent : extents) count *= static_cast<std::size_t>(extent);
  auto bytes = std::make_shared<std::vector<std::byte>>(count * element);

  std::vector<std::int64_t> strides(axes.size(), 1);
  for (std::size_t a = axes.size(); a-- > 1;) strides[a - 1] = strides[a] * tensor.dims()[a];
  const std::span<const std::byte> source = tensor.bytes();
  std::vector<std::int64_t> position(extents.size(), 0);  // odometer over the packed buffer
  std::vector<std::int64_t> index(axes.size());
  for (std::size_t out = 0; out < count; ++out) {
    std::fill(index.begin(), index.end(), 0);
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const auto axis = static_cast<std::size_t>(axis_position(axes, pack.dims[d].axis));
      index[axis] += position[d] * pack.dims[d].divisor;
    }
    bool inside = true;
    std::int64_t from = 0;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      inside = inside && index[a] < tensor.dims()[a];
      from += index[a] * strides[a];
    }
    if (inside) {
      std::memcpy(bytes->data() + out * element,
                  source.data() + static_cast<std::size_t>(from) * element, element);
    }
    for (std::size_t d = 0; d < extents.size() && ++position[d] == extents[d]; ++d) position[d] = 0;
  }
  std::vector<std::int64_t> dims(extents.rbegin(), extents.rend());
  return Tensor(tensor.dtype(), dims, std::move(bytes));
}

}  // namespace frit

// Col2Im: every element of every column is added to the element of the image that it came from.
#include <fmt/format.h>

#include <algorithm>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

struct Layout {
  Dims image, block, strides, dilations, before, blocks;
};

Result<Layout> layout_of(const Call& call) {
  Layout layout;
  for (const auto& [name, input, to] :
       {std::tuple("image_shape", 1, &layout.image), std::tuple("block_shape", 2, &layout.block)}) {
    const auto list = ints_parameter(call, name, static_cast<std::size_t>(input));
    if (!list) return tl::unexpected<Diagnostic>(list.error());
    if (!*list) return call.refuse(fmt::format("{} is missing", name));
    *to = **list;
  }
  const std::size_t rank = layout.image.size();
  const AttributeMap& attributes = call.op.attributes;
  layout.strides = ints_attribute(attributes, "strides", Dims(rank, 1));
  layout.dilations = ints_attribute(attributes, "dilations", Dims(rank, 1));
  const Dims pads = ints_attribute(attributes, "pads", Dims(2 * rank, 0));
  FRIT_TRY(check_list(call, "block_shape", layout.block, rank, 1));
  FRIT_TRY(check_list(call, "strides", layout.strides, rank, 1));
  FRIT_TRY(check_list(call, "dilations", layout.dilations, rank, 1));
  FRIT_TRY(check_list(call, "pads", pads, 2 * rank, 0));
  layout.before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
  for (std::size_t a = 0; a < rank; ++a) {
    const std::int64_t room = layout.image[a] + pads[a] + pads[rank + a] -
                              layout.dilations[a] * (layout.block[a] - 1) - 1;
    layout.blocks.push_back(room < 0 ? 0 : room / layout.strides[a] + 1);
  }
  return layout;
}

// The image element, flat, of tap `r` in block `b`, or -1.
std::int64_t pixel_of(const Layout& layout, std::int64_t r, std::int64_t b) {
  std::int64_t flat = 0, step = 1;
  for (std::size_t a = layout.image.size(); a-- > 0;) {
    const std::int64_t tap = r % layout.block[a], block = b % layout.blocks[a];
    r /= layout.block[a];
    b /= layout.blocks[a];
    const std::int64_t at =
        block * layout.strides[a] + tap * layout.dilations[a] - layout.before[a];
    if (at < 0 || at >= layout.image[a]) return -1;
    flat += at * step;
    step *= layout.image[a];
  }
  return flat;
}

Outputs col2im(const Call& call) {
  const Result<Layout> layout = layout_of(call);
  if (!layout) return tl::unexpected<Diagnostic>(layout.error());
  const RefTensor& x = call.in(0);
  const auto taps = count_of(layout->block), blocks = count_of(layout->blocks),
             pixels = count_of(layout->image);
  if (!taps || !blocks || !pixels || x.dims.size() != 3 || x.dims[1] % *taps != 0 ||
      x.dims[2] != *blocks) {
    return call.refuse("the shapes of its inputs");
  }
  Dims dims = {x.dims[0], x.dims[1] / *taps};
  dims.insert(dims.end(), layout->image.begin(), layout->image.end());
  Result<RefTensor> y = make(call, x.dtype, dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  std::vector<double> sizes(y->real.size(), 0.0);
  if (call.bounded()) y->bound.assign(y->real.size(), 0.0);
  std::size_t from = 0;
  for (std::int64_t plane = 0; plane < dims[0] * dims[1]; ++plane) {
    for (std::int64_t r = 0; r < *taps; ++r) {
      for (std::int64_t b = 0; b < *blocks; ++b, ++from) {
        const std::int64_t pixel = pixel_of(*layout, r, b);
        if (pixel < 0) continue;
        const auto to = static_cast<std::size_t>(plane * *pixels + pixel);
        if (x.real.empty()) {
          y->integer[to] = wrapped(
              x.dtype, static_cast<std::int64_t>(static_cast<std::uint64_t>(y->integer[to]) +
                                                 static_cast<std::uint64_t>(x.integer[from])));
          continue;
        }
        y->real[to] += x.real[from];
        if (call.naive()) y->real[to] = static_cast<double>(static_cast<float>(y->real[to]));
        sizes[to] += std::fabs(x.real[from]);
        if (call.bounded()) y->bound[to] += bound_at(x, from);
      }
    }
  }
  for (std::size_t i = 0; i < y->bound.size(); ++i) y->bound[i] += sum_factor(*taps) * sizes[i];
  return one(std::move(*y));
}

constexpr Entry kEntries[] = {{"Col2Im", 1, 3, col2im}};

}  // namespace

std::span<const Entry> col2im_entries() { return kEntries; }

}  // namespace frit::ref

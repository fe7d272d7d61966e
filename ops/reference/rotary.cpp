// RotaryEmbedding, element by element: y = x cos(position) + partner sin(position).
#include "ops/reference/call.h"
#include "ops/reference/tables.h"

namespace frit::ref {
namespace {

/// Two products and a sum, with their error.
struct Turned {
  double value, bound;
};

Turned turned(const RefTensor& x, std::size_t a, std::size_t b, const RefTensor& cos,
              const RefTensor& sin, std::size_t angle, double sign) {
  const double p = x.real[a] * cos.real[angle], q = sign * x.real[b] * sin.real[angle];
  const double carried =
      std::fabs(x.real[a]) * bound_at(cos, angle) + std::fabs(cos.real[angle]) * bound_at(x, a) +
      std::fabs(x.real[b]) * bound_at(sin, angle) + std::fabs(sin.real[angle]) * bound_at(x, b);
  return {p + q, carried + 3.0 * kEps * (std::fabs(p) + std::fabs(q)) + kTiny};
}

Outputs rotary(const Call& call, std::size_t at_positions, std::size_t at_cos, std::size_t at_sin) {
  const RefTensor& x = call.in(0);
  const RefTensor &cos = call.in(at_cos), &sin = call.in(at_sin);
  const bool packed = x.dims.size() == 3;
  if ((!packed && x.dims.size() != 4) || cos.dims.empty()) return call.refuse("a bad rank");
  std::int64_t r = call.attr("rotary_embedding_dim", std::int64_t{0});
  const std::int64_t length = x.dims[packed ? 1 : 2];
  std::int64_t heads = packed ? call.attr("num_heads", std::int64_t{0}) : x.dims[1];
  if (heads == 0 && cos.dims.back() > 0) heads = x.dims.back() / (2 * cos.dims.back());
  if (packed && (heads < 1 || x.dims[2] % heads != 0)) return call.refuse("bad num_heads");
  const std::int64_t size = packed ? x.dims[2] / heads : x.dims[3];
  if (r == 0) r = size;
  const bool interleaved = call.attr("interleaved", std::int64_t{0}) != 0;
  const RefTensor* ids = call.has(at_positions) ? &call.in(at_positions) : nullptr;

  RefTensor y = x;
  if (call.bounded()) y.bound.resize(y.real.size(), 0.0);
  for (std::size_t at = 0; at < x.real.size(); ++at) {
    const auto i = static_cast<std::int64_t>(at);
    const std::int64_t element = i % size;
    if (element >= r) continue;
    const std::int64_t row = i / size;
    const std::int64_t place = packed ? row / heads % length : row % length;
    const std::int64_t batch = row / heads / length;
    const bool first = interleaved ? element % 2 == 0 : element < r / 2;
    const std::int64_t pair = interleaved ? element / 2 : element % (r / 2);
    const std::int64_t apart = interleaved ? 1 : r / 2;
    const auto other = static_cast<std::size_t>(first ? i + apart : i - apart);
    std::int64_t line = batch * length + place;
    if (ids != nullptr) {
      line = ids->dims.size() == 1 ? ids->integer[0] + place
                                   : ids->integer[static_cast<std::size_t>(line)];
      if (line < 0) line += cos.dims[0];
      if (line < 0 || line >= cos.dims[0]) return call.refuse("a position outside of its cache");
    }
    const auto angle = static_cast<std::size_t>(line * (r / 2) + pair);
    const Turned result = turned(x, at, other, cos, sin, angle, first ? -1.0 : 1.0);
    y.real[at] =
        call.naive() ? static_cast<double>(static_cast<float>(result.value)) : result.value;
    if (call.bounded()) y.bound[at] = result.bound;
  }
  return one(std::move(y));
}

Outputs onnx_rotary(const Call& call) { return rotary(call, 3, 1, 2); }
Outputs contrib_rotary(const Call& call) { return rotary(call, 1, 2, 3); }

constexpr Entry kEntries[] = {{"RotaryEmbedding", 3, 4, onnx_rotary},
                              {"com.microsoft.RotaryEmbedding", 4, 4, contrib_rotary}};

}  // namespace

std::span<const Entry> rotary_entries() { return kEntries; }

}  // namespace frit::ref

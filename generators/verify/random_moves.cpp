// Random nodes that move elements, and patterns that passes recognise.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "generators/verify/random_builder.h"

namespace frit {
namespace {

using Dims = std::vector<std::int64_t>;

bool transpose(RandomBuilder& b) {
  const ValueId x = b.any_real();
  Dims perm(b.dims(x).size());
  if (perm.size() < 2) return false;
  std::iota(perm.begin(), perm.end(), 0);
  for (std::size_t i = perm.size() - 1; i > 0; --i) {
    std::swap(perm[i],
              perm[static_cast<std::size_t>(b.random().integer(0, static_cast<std::int64_t>(i)))]);
  }
  return b.add("Transpose", {x}, {{"perm", perm}}).has_value();
}

// Splits one axis, or joins two neighbours; at times writes an extent as 0 or -1.
bool reshape(RandomBuilder& b) {
  Random& random = b.random();
  const ValueId x = b.any_real();
  Dims dims = b.dims(x);
  if (dims.empty()) return false;
  const auto at =
      static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(dims.size()) - 1));
  if (random.chance(0.5) && at + 1 < dims.size()) {
    dims[at] *= dims[at + 1];
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  } else {
    std::int64_t factor = 1;
    for (const std::int64_t candidate : {2, 3, 4, 5, 7}) {
      if (dims[at] % candidate == 0) factor = candidate;
    }
    dims[at] /= factor;
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(at), factor);
  }
  if (random.chance(0.3)) dims[at] = -1;
  if (random.chance(0.2) && at > 0) dims[0] = 0;
  return b.add("Reshape", {x, b.ints(dims)}).has_value();
}

bool flatten(RandomBuilder& b) {
  const ValueId x = b.any_real();
  const auto rank = static_cast<std::int64_t>(b.dims(x).size());
  return b.add("Flatten", {x}, {{"axis", b.random().integer(0, rank)}}).has_value();
}

bool squeeze(RandomBuilder& b) {
  const auto x =
      b.real_where([](const Dims& dims) { return std::count(dims.begin(), dims.end(), 1) > 0; });
  if (!x) return false;
  if (b.random().chance(0.3)) return b.add("Squeeze", {*x}).has_value();
  const Dims& dims = b.dims(*x);
  const auto axis =
      static_cast<std::int64_t>(std::find(dims.begin(), dims.end(), 1) - dims.begin());
  return b.add("Squeeze", {*x, b.ints({axis})}).has_value();
}

bool unsqueeze(RandomBuilder& b) {
  const ValueId x = b.any_real();
  return b.add("Unsqueeze", {x, b.ints({b.any_axis(b.dims(x).size() + 1)})}).has_value();
}

bool slice(RandomBuilder& b) {
  Random& random = b.random();
  const ValueId x = b.any_real();
  const Dims dims = b.dims(x);
  if (dims.empty()) return false;
  const std::int64_t axis = b.any_axis(dims.size());
  const std::int64_t extent = dims[static_cast<std::size_t>(
      axis < 0 ? axis + static_cast<std::int64_t>(dims.size()) : axis)];
  const std::int64_t first = random.integer(0, extent - 1);
  const std::int64_t last = random.integer(first, extent - 1);
  if (random.chance(0.2)) {  // backwards; an end before the first element is written very small
    const std::int64_t end = first == 0 ? -1000000 : first - 1;
    return b
        .add("Slice",
             {x, b.ints({last}), b.ints({end}), b.ints({axis}), b.ints({-random.integer(1, 2)})})
        .has_value();
  }
  const std::int64_t end = last == extent - 1 && random.chance(0.5) ? 1000000 : last + 1;
  const std::int64_t start = random.chance(0.3) ? first - extent : first;
  if (random.chance(0.5)) {
    return b.add("Slice", {x, b.ints({start}), b.ints({end}), b.ints({axis})}).has_value();
  }
  return b
      .add("Slice",
           {x, b.ints({start}), b.ints({end}), b.ints({axis}), b.ints({random.integer(1, 3)})})
      .has_value();
}

bool concat(RandomBuilder& b) {
  const ValueId x = b.any_real();
  const Dims dims = b.dims(x);
  if (dims.empty()) return false;
  const std::int64_t axis = b.any_axis(dims.size());
  const auto at =
      static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(dims.size()) : axis);
  const auto fits = [&](Dims other) {
    if (other.size() != dims.size()) return false;
    other[at] = dims[at];
    return other == dims;
  };
  std::vector<Proposed> inputs{x};
  const std::int64_t more = b.random().integer(1, 2);
  for (std::int64_t i = 0; i < more; ++i) {
    if (b.random().chance(0.2)) {
      inputs.push_back(b.floats(dims, -1.0, 1.0));
    } else {
      inputs.push_back(*b.real_where(fits));  // x itself fits
    }
  }
  if (b.random().chance(0.5)) std::swap(inputs.front(), inputs.back());
  return b.add("Concat", inputs, {{"axis", axis}}).has_value();
}

bool pad(RandomBuilder& b) {
  Random& random = b.random();
  const ValueId x = b.any_real();
  const Dims dims = b.dims(x);
  if (dims.empty()) return false;
  const std::string mode =
      random.pick(std::vector<std::string>{"constant", "constant", "edge", "reflect"});
  Dims pads(2 * dims.size(), 0);
  for (std::size_t i = 0; i < pads.size(); ++i) {
    const std::int64_t extent = dims[i % dims.size()];
    if (random.chance(0.5)) pads[i] = random.integer(0, 2);
    if (mode == "reflect") pads[i] = std::min(pads[i], extent - 1);
    if (mode == "constant" && random.chance(0.1) && extent > 3) pads[i] = -1;
  }
  std::vector<Proposed> inputs{x, b.ints(pads)};
  if (mode == "constant" && random.chance(0.4)) inputs.push_back(b.scalar(0.5f));
  AttributeMap attributes;
  if (mode != "constant" || random.chance(0.3)) attributes["mode"] = mode;
  return b.add("Pad", inputs, attributes).has_value();
}

bool expand(RandomBuilder& b) {
  const ValueId x = b.any_real();
  Dims dims = b.dims(x);
  for (std::int64_t& extent : dims) {
    if (extent == 1 && b.random().chance(0.6)) extent = b.random().integer(2, 5);
  }
  if (b.random().chance(0.3) || dims == b.dims(x)) dims.insert(dims.begin(), 2);
  return b.add("Expand", {x, b.ints(dims)}).has_value();
}

bool gather(RandomBuilder& b) {
  Random& random = b.random();
  const ValueId x = b.any_real();
  const Dims dims = b.dims(x);
  if (dims.empty()) return false;
  const auto axis =
      static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(dims.size()) - 1));
  Dims indices;
  const std::int64_t count = random.integer(1, 4);
  for (std::int64_t i = 0; i < count; ++i)
    indices.push_back(random.integer(-dims[axis], dims[axis] - 1));
  Tensor index = count == 1 && random.chance(0.5) ? Tensor::i64({}, indices)
                 : count == 4                     ? Tensor::i64({2, 2}, indices)
                                                  : b.ints(indices);
  return b.add("Gather", {x, std::move(index)}, {{"axis", static_cast<std::int64_t>(axis)}})
      .has_value();
}

bool split(RandomBuilder& b) {
  Random& random = b.random();
  const auto x = b.real_where([](const Dims& dims) {
    return !dims.empty() && *std::max_element(dims.begin(), dims.end()) > 1;
  });
  if (!x) return false;
  const Dims dims = b.dims(*x);
  const auto axis =
      static_cast<std::size_t>(std::max_element(dims.begin(), dims.end()) - dims.begin());
  const std::int64_t extent = dims[axis];
  const std::int64_t first = random.integer(1, extent - 1);
  Dims sizes{first, extent - first};
  if (sizes[1] > 2 && random.chance(0.4)) sizes = {first, 1, extent - first - 1};
  const AttributeMap attributes{{"axis", static_cast<std::int64_t>(axis)}};
  if (extent % 2 == 0 && random.chance(0.4)) return b.add("Split", {*x}, attributes, 2).has_value();
  return b.add("Split", {*x, b.ints(sizes)}, attributes, sizes.size()).has_value();
}

// ---- Patterns

// x * clip(x + 3, 0, 6) / 6, or x * HardSigmoid(x) with the slope of hard-swish.
bool hard_swish(RandomBuilder& b) {
  const ValueId x = b.any_real();
  if (b.random().chance(0.4)) {
    const auto gate = b.add_one("HardSigmoid", {x}, {{"alpha", 1.0f / 6.0f}, {"beta", 0.5f}});
    return gate && b.add("Mul", {x, *gate}).has_value();
  }
  const auto shifted = b.add_one("Add", {x, b.scalar(3.0f)});
  if (!shifted) return false;
  const auto clipped = b.add_one("Clip", {*shifted, b.scalar(0.0f), b.scalar(6.0f)});
  if (!clipped) return true;
  const auto product = b.add_one("Mul", {x, *clipped});
  if (product) b.add("Div", {*product, b.scalar(6.0f)});
  return true;
}

bool composed_layer_norm(RandomBuilder& b) {
  const auto x = b.real_where([](const Dims& dims) { return dims.size() >= 2 && dims.back() > 2; });
  if (!x) return false;
  const Dims width{b.dims(*x).back()};
  const AttributeMap last{{"axes", Dims{-1}}};
  const auto mean = b.add_one("ReduceMean", {*x}, last);
  if (!mean) return false;
  const auto centred = b.add_one("Sub", {*x, *mean});
  if (!centred) return true;
  const auto square = b.add_one("Pow", {*centred, b.scalar(2.0f)});
  if (!square) return true;
  const auto var = b.add_one("ReduceMean", {*square}, last);
  if (!var) return true;
  const auto padded = b.add_one("Add", {*var, b.scalar(1e-5f)});
  if (!padded) return true;
  const auto root = b.add_one("Sqrt", {*padded});
  if (!root) return true;
  const auto normal = b.add_one("Div", {*centred, *root});
  if (!normal) return true;
  const auto scaled = b.add_one("Mul", {*normal, b.floats(width, 0.5, 1.5)});
  if (scaled) b.add("Add", {*scaled, b.floats(width, -0.5, 0.5)});
  return true;
}

bool composed_gelu(RandomBuilder& b) {
  const ValueId x = b.any_real();
  const auto scaled = b.add_one("Div", {x, b.scalar(std::sqrt(2.0f))});
  if (!scaled) return false;
  const auto erf = b.add_one("Erf", {*scaled});
  if (!erf) return true;
  const auto shifted = b.add_one("Add", {*erf, b.scalar(1.0f)});
  if (!shifted) return true;
  const auto product = b.add_one("Mul", {x, *shifted});
  if (product) b.add("Mul", {*product, b.scalar(0.5f)});
  return true;
}

// Reshape to [extent 0, -1], the first extent read by Shape and Gather.
bool computed_shape(RandomBuilder& b) {
  const ValueId x = b.any_real();
  if (b.dims(x).empty()) return false;
  const auto shape = b.add_one("Shape", {x});
  if (!shape) return false;
  const auto first = b.add_one("Gather", {*shape, b.ints({0})}, {{"axis", std::int64_t{0}}});
  if (!first) return true;
  const auto wanted = b.add_one("Concat", {*first, b.ints({-1})}, {{"axis", std::int64_t{0}}});
  if (wanted) b.add("Reshape", {x, *wanted});
  return true;
}

}  // namespace

const std::vector<RandomMaker>& random_move_makers() {
  static const std::vector<RandomMaker> makers{
      {5, transpose}, {4, reshape}, {1, flatten}, {2, squeeze}, {2, unsqueeze}, {4, slice},
      {5, concat},    {3, pad},     {2, expand},  {2, gather},  {3, split}};
  return makers;
}

const std::vector<RandomMaker>& random_pattern_makers() {
  static const std::vector<RandomMaker> makers{
      {2, hard_swish}, {2, composed_layer_norm}, {1, composed_gelu}, {1, computed_shape}};
  return makers;
}

}  // namespace frit

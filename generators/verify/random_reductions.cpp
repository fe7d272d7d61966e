// Random reductions: convolution, pools, products, reduce, softmax, norms.
#include <algorithm>
#include <cmath>
#include <string>

#include "generators/verify/random_builder.h"

namespace frit {
namespace {

using Dims = std::vector<std::int64_t>;

// Weights that keep a sum of `terms` products of order one.
Tensor weights(RandomBuilder& b, const Dims& dims, std::int64_t terms) {
  const double scale = std::sqrt(3.0 / static_cast<double>(std::max<std::int64_t>(terms, 1)));
  return b.floats(dims, -scale, scale);
}

std::int64_t product(const Dims& dims) {
  std::int64_t result = 1;
  for (const std::int64_t extent : dims) result *= extent;
  return result;
}

// Window attributes shared by convolution and pools, for `spatial` axes.
struct WindowChoice {
  Dims kernel, strides, dilations, pads;
  AttributeMap attributes;
};

WindowChoice choose_window(RandomBuilder& b, std::size_t spatial, bool is_pool) {
  static const std::vector<std::int64_t> kKernels{1, 1, 2, 3, 3, 3, 5};
  Random& random = b.random();
  WindowChoice w;
  const std::int64_t common = random.pick(kKernels);
  const bool square = random.chance(0.7);
  for (std::size_t a = 0; a < spatial; ++a) {
    w.kernel.push_back(square ? common : random.pick(kKernels));
    w.strides.push_back(random.chance(0.7) ? 1 : random.integer(2, 3));
    w.dilations.push_back(random.chance(0.85) ? 1 : 2);
  }
  w.pads.assign(2 * spatial, 0);
  const int padding = static_cast<int>(random.integer(0, 3));
  for (std::size_t a = 0; a < 2 * spatial; ++a) {
    const std::int64_t half = w.kernel[a % spatial] / 2;
    if (padding == 1) w.pads[a] = half;
    if (padding == 2) w.pads[a] = random.integer(0, std::max<std::int64_t>(half, is_pool ? 0 : 1));
  }
  if (product(w.strides) != 1) w.attributes["strides"] = w.strides;
  if (product(w.dilations) != 1) w.attributes["dilations"] = w.dilations;
  if (padding == 3) {
    w.attributes["auto_pad"] = std::string(random.chance(0.5) ? "SAME_UPPER" : "SAME_LOWER");
  } else if (padding != 0) {
    w.attributes["pads"] = w.pads;
  }
  return w;
}

bool convolution_of_rank(RandomBuilder& b, std::size_t rank) {
  static const std::vector<std::int64_t> kFilters{1, 2, 3, 5, 8, 13, 16, 17, 24};
  const auto x = b.real_of_rank(rank);
  if (!x) return false;
  Random& random = b.random();
  const Dims dims = b.dims(*x);
  const std::int64_t channels = dims[1];
  std::int64_t group = 1;
  if (random.chance(0.35)) group = channels;
  if (random.chance(0.1) && channels % 2 == 0) group = 2;
  std::int64_t filters = random.pick(kFilters);
  if (group > 1) filters = group * (random.chance(0.8) ? 1 : 2);
  WindowChoice w = choose_window(b, rank - 2, false);
  const std::int64_t terms = channels / group * product(w.kernel);
  if (filters * terms * product(dims) / channels > b.options().most_multiply_adds) return false;
  if (group != 1) w.attributes["group"] = group;
  if (random.chance(0.7)) w.attributes["kernel_shape"] = w.kernel;
  Dims shape{filters, channels / group};
  shape.insert(shape.end(), w.kernel.begin(), w.kernel.end());
  std::vector<Proposed> inputs{*x, weights(b, shape, terms)};
  if (random.chance(0.6)) inputs.push_back(b.floats({filters}, -0.5, 0.5));
  return b.add("Conv", inputs, w.attributes).has_value();
}

bool convolution(RandomBuilder& b) { return convolution_of_rank(b, 4); }
bool convolution_1d(RandomBuilder& b) { return convolution_of_rank(b, 3); }

bool batch_norm(RandomBuilder& b) {
  const auto x = b.real_where([](const Dims& dims) { return dims.size() >= 2; });
  if (!x) return false;
  const Dims c{b.dims(*x)[1]};
  AttributeMap attributes;
  if (b.random().chance(0.5)) attributes["epsilon"] = 1e-3f;
  return b
      .add("BatchNormalization",
           {*x, b.floats(c, 0.5, 1.5), b.floats(c, -0.5, 0.5), b.floats(c, -0.5, 0.5),
            b.floats(c, 0.3, 1.5)},
           attributes)
      .has_value();
}

bool pool(RandomBuilder& b) {
  const auto x = b.real_of_rank(4);
  if (!x) return false;
  Random& random = b.random();
  WindowChoice w = choose_window(b, 2, true);
  const bool max = random.chance(0.5);
  // AveragePool has no dilations before opset 19
  if (!max) w.attributes.erase("dilations");
  w.attributes["kernel_shape"] = w.kernel;
  if (random.chance(0.3) && !w.attributes.contains("auto_pad")) {
    w.attributes["ceil_mode"] = std::int64_t{1};
  }
  if (!max && random.chance(0.4)) w.attributes["count_include_pad"] = std::int64_t{1};
  return b.add(max ? "MaxPool" : "AveragePool", {*x}, w.attributes).has_value();
}

bool global_pool(RandomBuilder& b) {
  const auto x = b.real_of_rank(4);
  if (!x) return false;
  return b.add(b.random().chance(0.7) ? "GlobalAveragePool" : "GlobalMaxPool", {*x}).has_value();
}

bool matmul(RandomBuilder& b) {
  static const std::vector<std::int64_t> kColumns{1, 2, 5, 8, 15, 16, 17, 33};
  const ValueId x = b.any_real();
  const Dims dims = b.dims(x);
  if (dims.size() < 2) return false;
  const std::int64_t columns = b.random().pick(kColumns);
  if (product(dims) * columns > b.options().most_multiply_adds) return false;
  return b.add("MatMul", {x, weights(b, {dims.back(), columns}, dims.back())}).has_value();
}

// x times the transpose of a value with equal last axis: both operands are data.
bool matmul_of_values(RandomBuilder& b) {
  const auto x =
      b.real_where([](const Dims& dims) { return dims.size() == 2 || dims.size() == 3; });
  if (!x) return false;
  const Dims dims = b.dims(*x);
  if (product(dims) * dims[dims.size() - 2] > b.options().most_multiply_adds) return false;
  const Dims perm = dims.size() == 2 ? Dims{1, 0} : Dims{0, 2, 1};
  const auto scaled =
      b.add_one("Mul", {*x, b.scalar(1.0f / std::sqrt(static_cast<float>(dims.back())))});
  if (!scaled) return false;
  const auto flipped = b.add_one("Transpose", {*x}, {{"perm", perm}});
  if (flipped) b.add("MatMul", {*scaled, *flipped});
  return true;
}

bool gemm(RandomBuilder& b) {
  const auto x = b.real_of_rank(2);
  if (!x) return false;
  Random& random = b.random();
  const Dims dims = b.dims(*x);
  const bool flip_a = random.chance(0.3);
  const bool flip_b = random.chance(0.5);
  const std::int64_t rows = flip_a ? dims[1] : dims[0];
  const std::int64_t depth = flip_a ? dims[0] : dims[1];
  const std::int64_t columns = random.integer(1, 20);
  if (rows * depth * columns > b.options().most_multiply_adds) return false;
  AttributeMap attributes;
  if (flip_a) attributes["transA"] = std::int64_t{1};
  if (flip_b) attributes["transB"] = std::int64_t{1};
  if (random.chance(0.3)) attributes["alpha"] = 0.75f;
  if (random.chance(0.3)) attributes["beta"] = -0.5f;
  std::vector<Proposed> inputs{
      *x, weights(b, flip_b ? Dims{columns, depth} : Dims{depth, columns}, depth)};
  // every bias shape of CASES.md K3
  const std::vector<Dims> shapes{{}, {1}, {columns}, {1, columns}, {rows, 1}, {rows, columns}};
  if (random.chance(0.8)) inputs.push_back(b.floats(random.pick(shapes), -1.0, 1.0));
  return b.add("Gemm", inputs, attributes).has_value();
}

bool reduce(RandomBuilder& b) {
  static const std::vector<std::string> kTypes{"ReduceMean", "ReduceMean", "ReduceSum",
                                               "ReduceMax",  "ReduceMin",  "ReduceL1",
                                               "ReduceL2",   "ReduceProd", "ReduceSumSquare"};
  Random& random = b.random();
  const ValueId x = b.any_real();
  const std::string& type = random.pick(kTypes);
  const std::size_t rank = b.dims(x).size();
  if (rank == 0) return false;
  Dims axes;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (random.chance(0.4)) axes.push_back(static_cast<std::int64_t>(axis));
  }
  if (axes.size() == 1 && random.chance(0.5)) axes[0] -= static_cast<std::int64_t>(rank);
  AttributeMap attributes;
  if (random.chance(0.5)) attributes["keepdims"] = std::int64_t{random.chance(0.5) ? 1 : 0};
  std::vector<Proposed> inputs{x};
  // of these, ReduceSum alone takes its axes as an input at opset 17
  if (!axes.empty() && type == "ReduceSum") inputs.push_back(b.ints(axes));
  if (!axes.empty() && type != "ReduceSum") attributes["axes"] = axes;
  return b.add(type, inputs, attributes).has_value();
}

bool softmax(RandomBuilder& b) {
  const ValueId x = b.any_real();
  if (b.dims(x).empty()) return false;
  AttributeMap attributes;
  if (b.random().chance(0.7)) attributes["axis"] = b.any_axis(b.dims(x).size());
  return b.add(b.random().chance(0.8) ? "Softmax" : "LogSoftmax", {x}, attributes).has_value();
}

bool layer_norm(RandomBuilder& b) {
  const ValueId x = b.any_real();
  const Dims dims = b.dims(x);
  if (dims.size() < 2) return false;
  const std::size_t axis = dims.size() - (b.random().chance(0.8) ? 1 : 2);
  const Dims normalised(dims.begin() + static_cast<std::ptrdiff_t>(axis), dims.end());
  AttributeMap attributes;
  if (axis != dims.size() - 1) attributes["axis"] = static_cast<std::int64_t>(axis);
  std::vector<Proposed> inputs{x, b.floats(normalised, 0.5, 1.5)};
  if (b.random().chance(0.7)) inputs.push_back(b.floats(normalised, -0.5, 0.5));
  return b.add("LayerNormalization", inputs, attributes).has_value();
}

}  // namespace

const std::vector<RandomMaker>& random_reduction_makers() {
  static const std::vector<RandomMaker> makers{
      {14, convolution}, {2, convolution_1d}, {5, batch_norm},       {5, pool},
      {3, global_pool},  {6, matmul},         {2, matmul_of_values}, {3, gemm},
      {6, reduce},       {4, softmax},        {3, layer_norm}};
  return makers;
}

}  // namespace frit

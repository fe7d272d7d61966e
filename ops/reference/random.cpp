// Random operators, of the stream that ops/philox.h describes.
#include <fmt/format.h>

#include <cstring>
#include <numbers>

#include "ops/reference/steps.h"

namespace frit::ref {
namespace {

struct Words {
  std::uint32_t first = 0, second = 0;
};

Words philox(std::uint32_t element, std::uint32_t key) {
  Words w{element, 0};
  for (std::uint32_t round = 0; round < 10; ++round) {
    const std::uint64_t product = std::uint64_t{0xd256d193} * w.first;
    const std::uint32_t round_key = key + round * 0x9e3779b9U;
    w = {static_cast<std::uint32_t>(product >> 32) ^ w.second ^ round_key,
         static_cast<std::uint32_t>(product)};
  }
  return w;
}

double uniform(const Words& w, bool wide) {
  if (!wide) return static_cast<double>(w.first >> 8) * 0x1p-24;
  const std::uint64_t both = std::uint64_t{w.first} << 32 | w.second;
  return static_cast<double>(both >> 11) * 0x1p-53;
}

/// With the error of its logarithm, root, angle and cosine.
double normal(const Words& w, double& error) {
  const double u = (static_cast<double>(w.first >> 8) + 1.0) * 0x1p-24;
  const double turn = static_cast<double>(w.second >> 8) * 0x1p-24 * 2.0 * std::numbers::pi;
  const double root = std::sqrt(-2.0 * std::log(u)), wave = std::cos(turn);
  error = root * (std::fabs(wave) * 2.0 * kFunction + kFunction * turn) + kTiny;
  return root * wave;
}

std::uint32_t key_of(const Call& call) {
  const auto seed = call.op.attributes.find("seed");
  if (seed != call.op.attributes.end()) {
    if (const auto* real = std::get_if<float>(&seed->second)) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, real, sizeof bits);
      return bits;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&seed->second)) {
      return static_cast<std::uint32_t>(*whole ^ (*whole >> 32));
    }
  }
  std::uint32_t hash = 0x811c9dc5;
  for (const char letter : call.op.name) {
    hash = (hash ^ static_cast<std::uint8_t>(letter)) * 0x01000193U;
  }
  return hash;
}

DType dtype_attribute(const Call& call, DType otherwise) {
  return dtype_of_onnx(call.attr("dtype", onnx_number(otherwise))).value_or(otherwise);
}

/// first + second * number, each product and sum rounded.
Outputs numbers(const Call& call, DType dtype, const Dims& dims, bool is_normal, float first,
                float second, std::uint32_t key) {
  Result<RefTensor> y = make(call, dtype, dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  if (call.bounded()) y->bound.assign(y->real.size(), 0.0);
  const auto low = static_cast<double>(first), range = static_cast<double>(second);
  for (std::size_t i = 0; i < y->real.size(); ++i) {
    const Words words = philox(static_cast<std::uint32_t>(i), key);
    double error = 0.0;
    const double x = is_normal ? normal(words, error) : uniform(words, dtype == DType::kF64);
    y->real[i] = x * range + low;
    const bool exact = !is_normal && low == 0.0 && range == 1.0;
    if (!call.bounded() || exact) continue;
    y->bound[i] = std::fabs(range) * error + 2.0 * kEps * (std::fabs(x * range) + std::fabs(low));
  }
  return one(std::move(*y));
}

Outputs random(const Call& call) {
  return numbers(
      call, dtype_attribute(call, DType::kF32), ints_attribute(call.op.attributes, "shape", {}),
      call.attr("normal", std::int64_t{0}) != 0, call.attr("first", 0.0F),
      call.attr("second", 1.0F), static_cast<std::uint32_t>(call.attr("key", std::int64_t{0})));
}

template <bool kNormal, bool kLike>
Outputs of_distribution(const Call& call) {
  DType dtype = DType::kF32;
  if (kLike && is_float(call.in(0).dtype)) dtype = call.in(0).dtype;
  const Dims dims = kLike ? call.in(0).dims : ints_attribute(call.op.attributes, "shape", {});
  const float first = call.attr(kNormal ? "mean" : "low", 0.0F);
  const float last = call.attr(kNormal ? "scale" : "high", 1.0F);
  return numbers(call, dtype_attribute(call, dtype), dims, kNormal, first,
                 kNormal ? last : last - first, key_of(call));
}

/// Uniform numbers of [0,1) of the node's key.
RefTensor uniform_numbers(const Call& call, DType dtype, Dims dims) {
  RefTensor u;
  u.dtype = dtype;
  u.dims = std::move(dims);
  u.real.resize(static_cast<std::size_t>(u.elements()));
  const std::uint32_t key = key_of(call);
  for (std::size_t i = 0; i < u.real.size(); ++i) {
    u.real[i] = uniform(philox(static_cast<std::uint32_t>(i), key), dtype == DType::kF64);
  }
  return u;
}

DType widened(DType dtype) { return dtype == DType::kF64 ? dtype : DType::kF32; }

Outputs bernoulli(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  Steps steps(call);
  const RefTensor& p = call.in(0);
  const RefTensor* wide = steps.run("Cast", {&p}, {{"to", onnx_number(widened(p.dtype))}});
  const RefTensor* u = steps.keep(uniform_numbers(call, wide->dtype, p.dims));
  const RefTensor* drawn = steps.run("Less", {u, wide});
  return steps.outputs(
      {steps.run("Cast", {drawn}, {{"to", onnx_number(dtype_attribute(call, p.dtype))}})});
}

// How many cumulated probabilities of the row are at most u.
Outputs multinomial(const Call& call) {
  FRIT_TRY(need_float(call, 0));
  const RefTensor& x = call.in(0);
  if (x.dims.size() != 2 || x.dims[1] < 1) return call.refuse("its input is no matrix");
  const std::int64_t samples = call.attr("sample_size", std::int64_t{1}), classes = x.dims[1];
  Result<RefTensor> y = make(call, dtype_attribute(call, DType::kI32), {x.dims[0], samples});
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  Steps steps(call);
  RefTensor wide = x;
  wide.dtype = DType::kF32;
  const RefTensor* p = steps.run("Softmax", {&wide}, {{"axis", std::int64_t{1}}});
  FRIT_TRY(steps.status());
  const RefTensor u = uniform_numbers(call, DType::kF32, {x.dims[0], samples});
  for (std::size_t i = 0; i < u.real.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) / samples;
    double cumulated = 0.0;
    std::int64_t below = 0;
    for (std::int64_t c = 0; c < classes; ++c) {
      cumulated += p->real[static_cast<std::size_t>(row * classes + c)];
      below += cumulated <= u.real[i] ? 1 : 0;
    }
    y->integer[i] = std::min(below, classes - 1);
  }
  return one(std::move(*y));
}

Outputs dropout(const Call& call) {
  const RefTensor& x = call.in(0);
  const bool may_train = call.op.opset >= 12 && call.has(2);
  const bool trains = may_train && call.in(2).integer.at(0) != 0;
  Result<RefTensor> mask = make(call, call.op.opset >= 10 ? DType::kBool : x.dtype, x.dims);
  if (!mask) return tl::unexpected<Diagnostic>(mask.error());
  std::fill(mask->integer.begin(), mask->integer.end(), 1);
  std::fill(mask->real.begin(), mask->real.end(), 1.0);
  std::vector<RefTensor> outputs{x};
  if (trains) {
    FRIT_TRY(need_float(call, 0));
    const double ratio = call.has(1) ? call.in(1).real.at(0) : 0.5;
    const RefTensor u = uniform_numbers(call, widened(x.dtype), x.dims);
    RefTensor& y = outputs[0];
    if (call.bounded() && y.bound.empty()) y.bound.assign(y.real.size(), 0.0);
    for (std::size_t i = 0; i < y.real.size(); ++i) {
      const bool keeps = u.real[i] >= rounded(u.dtype, ratio);
      mask->integer[i] = keeps ? 1 : 0;
      y.real[i] = keeps ? y.real[i] / (1.0 - ratio) : 0.0;
      if (!call.bounded()) continue;
      y.bound[i] = keeps ? y.bound[i] / (1.0 - ratio) + kFunction * std::fabs(y.real[i]) : 0.0;
    }
  }
  if (call.op.outputs.size() > 1) outputs.push_back(std::move(*mask));
  return outputs;
}

constexpr Entry kEntries[] = {
    {"Bernoulli", 1, 1, bernoulli},
    {"Dropout", 1, 3, dropout},
    {"Multinomial", 1, 1, multinomial},
    {"RandomNormal", 0, 0, of_distribution<true, false>},
    {"RandomNormalLike", 1, 1, of_distribution<true, true>},
    {"RandomUniform", 0, 0, of_distribution<false, false>},
    {"RandomUniformLike", 1, 1, of_distribution<false, true>},
    {"frit.Random", 1, 1, random},
};

}  // namespace

std::span<const Entry> random_entries() { return kEntries; }

}  // namespace frit::ref

// BlackmanWindow, HammingWindow, HannWindow, MelWeightMatrix.
#include <fmt/format.h>

#include <numbers>

#include "ops/reference/call.h"

namespace frit::ref {
namespace {

// Of a table in `dtype`: floats as they are, integers truncated.
Outputs table(const Call& call, const Dims& dims, const std::vector<double>& values) {
  const auto dtype = dtype_of_onnx(call.attr("output_datatype", std::int64_t{1}));
  if (!dtype || *dtype == DType::kBool) return call.refuse("its output_datatype is no number type");
  Result<RefTensor> y = make(call, *dtype, dims);
  if (!y) return tl::unexpected<Diagnostic>(y.error());
  if (is_float(*dtype)) {
    y->real = values;
    return one(std::move(*y));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    y->integer[i] = wrapped(
        *dtype, static_cast<std::int64_t>(std::isnan(values[i]) ? 0.0 : std::trunc(values[i])));
  }
  return one(std::move(*y));
}

Result<std::int64_t> integer(const Call& call, std::size_t i, std::int64_t least) {
  const Result<Dims> values = ints_input(call, i);
  if (!values) return tl::unexpected<Diagnostic>(values.error());
  if (values->size() == 1 && (*values)[0] >= least && (*values)[0] <= kMostElements) {
    return (*values)[0];
  }
  return call.refuse(fmt::format("input {} is no usable size", i));
}

/// a - b cos(2 pi i / n) + c cos(4 pi i / n), n = size, or size - 1 where it is not periodic.
Outputs cosine_window(const Call& call, double a, double b, double c) {
  const auto size = integer(call, 0, 0);
  if (!size) return tl::unexpected<Diagnostic>(size.error());
  const bool periodic = call.attr("periodic", std::int64_t{1}) != 0;
  const auto n = static_cast<double>(periodic ? *size : *size - 1);
  std::vector<double> values;
  for (std::int64_t i = 0; i < *size; ++i) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / n;
    values.push_back(a - b * std::cos(angle) + c * std::cos(2.0 * angle));
  }
  return table(call, {*size}, values);
}

Outputs blackman(const Call& call) { return cosine_window(call, 0.42, 0.5, 0.08); }
Outputs hamming(const Call& call) { return cosine_window(call, 25.0 / 46.0, 21.0 / 46.0, 0.0); }
Outputs hann(const Call& call) { return cosine_window(call, 0.5, 0.5, 0.0); }

// Triangles whose corners are equally spaced in mel, at whole bins of the spectrum.
Outputs mel_weights(const Call& call) {
  const auto bins = integer(call, 0, 1), length = integer(call, 1, 1), rate = integer(call, 2, 1);
  for (const auto* value : {&bins, &length, &rate}) {
    if (!*value) return tl::unexpected<Diagnostic>(value->error());
  }
  FRIT_TRY(need_float(call, 3));
  FRIT_TRY(need_float(call, 4));
  const std::int64_t spectrum = *length / 2 + 1;
  const auto mel = [](double hertz) { return 2595.0 * std::log10(1.0 + hertz / 700.0); };
  const double low = mel(call.in(3).real.at(0)), high = mel(call.in(4).real.at(0));
  const double step = (high - low) / static_cast<double>(*bins + 2);
  std::vector<std::int64_t> corners;
  for (std::int64_t i = 0; i < *bins + 2; ++i) {
    const double hertz =
        700.0 * (std::pow(10.0, (static_cast<double>(i) * step + low) / 2595.0) - 1.0);
    corners.push_back(static_cast<std::int64_t>(
        std::floor(static_cast<double>(*length + 1) * hertz / static_cast<double>(*rate))));
  }
  const Dims dims = {spectrum, *bins};
  if (!count_of(dims)) return call.refuse("its result is too large");
  std::vector<double> values(static_cast<std::size_t>(spectrum * *bins), 0.0);
  const auto set = [&](std::int64_t row, std::int64_t column, double value) {
    if (row >= 0 && row < spectrum) values[static_cast<std::size_t>(row * *bins + column)] = value;
  };
  for (std::int64_t i = 0; i < *bins; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t left = corners[at], top = corners[at + 1], right = corners[at + 2];
    if (top == left) {
      set(top, i, 1.0);
    } else {
      for (std::int64_t j = left; j <= top; ++j) {
        set(j, i, static_cast<double>(j - left) / static_cast<double>(top - left));
      }
    }
    if (right == top) continue;
    for (std::int64_t j = top; j < right; ++j) {
      set(j, i, static_cast<double>(right - j) / static_cast<double>(right - top));
    }
  }
  return table(call, dims, values);
}

constexpr Entry kEntries[] = {
    {"BlackmanWindow", 1, 1, blackman},
    {"HammingWindow", 1, 1, hamming},
    {"HannWindow", 1, 1, hann},
    {"MelWeightMatrix", 5, 5, mel_weights},
};

}  // namespace

std::span<const Entry> window_entries() { return kEntries; }

}  // namespace frit::ref

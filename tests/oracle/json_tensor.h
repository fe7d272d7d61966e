// Tensors as JSON, for the tools that answer the Python oracles.
//
// {"dtype":"f32","dims":[2],"data":[1,"nan"]}; NaN and infinities are "nan", "inf", "-inf". Or bytes
// as they lie in memory: {"dtype":"f32","dims":[1],"hex":"0000803f"}.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "ops/reference/reference.h"

namespace frit {

using Json = nlohmann::json;

inline double real_of(const Json& number) {
  if (number.is_number()) return number.get<double>();
  const auto text = number.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return text == "inf" ? std::numeric_limits<double>::infinity()
                       : -std::numeric_limits<double>::infinity();
}

inline Json json_of(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  return number;
}

inline RefTensor tensor_of(const Json& json) {
  RefTensor tensor;
  const auto dtype = dtype_named(json.at("dtype").get<std::string>());
  if (!dtype) throw std::runtime_error("no such type: " + json.at("dtype").dump());
  tensor.dtype = *dtype;
  tensor.dims = json.at("dims").get<std::vector<std::int64_t>>();
  for (const Json& number : json.at("data")) {
    if (is_float(tensor.dtype)) {
      tensor.real.push_back(real_of(number));
    } else if (number.is_number_unsigned()) {
      tensor.integer.push_back(static_cast<std::int64_t>(number.get<std::uint64_t>()));
    } else {
      tensor.integer.push_back(number.get<std::int64_t>());
    }
  }
  return tensor;
}

inline Json json_of(const RefTensor& tensor) {
  Json data = Json::array();
  for (const double number : tensor.real) data.push_back(json_of(number));
  for (const std::int64_t number : tensor.integer) {
    if (tensor.dtype == DType::kU64) {
      data.push_back(static_cast<std::uint64_t>(number));
    } else {
      data.push_back(number);
    }
  }
  return {{"dtype", name_of(tensor.dtype)}, {"dims", tensor.dims}, {"data", std::move(data)}};
}

/// The bytes of "hex".
inline Tensor exact_tensor_of(const Json& json) {
  const auto dtype = dtype_named(json.at("dtype").get<std::string>());
  if (!dtype) throw std::runtime_error("no such type: " + json.at("dtype").dump());
  const auto dims = json.at("dims").get<std::vector<std::int64_t>>();
  const auto digits = json.at("hex").get<std::string>();
  auto bytes = std::make_shared<std::vector<std::byte>>();
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes->push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return Tensor(*dtype, dims, std::move(bytes));
}

inline Json exact_json_of(const Tensor& tensor) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const std::byte byte : tensor.bytes()) {
    const auto number = std::to_integer<std::size_t>(byte);
    digits += {kDigits[number / 16], kDigits[number % 16]};
  }
  return {{"dtype", name_of(tensor.dtype())}, {"dims", tensor.dims()}, {"hex", std::move(digits)}};
}

}  // namespace frit

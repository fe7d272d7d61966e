// Evaluates single nodes with the reference: one JSON request a line on stdin, one answer a line on
// stdout. For reference_oracle.py.
//
// Request: {"type","opset","attributes":{name:value},"outputs":n,"precision":"double"|"naive32",
// "inputs":[tensor|null]}, tensors as json_tensor.h says. An attribute is a number, string, list,
// {"float":x}, {"floats":[…]} or
// {"tensor":…}. Answer: {"outputs":[tensor]} or {"error":text}.
#include <iostream>
#include <string>

#include "tests/oracle/json_tensor.h"

namespace frit {
namespace {

Attribute attribute_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number()) return json.get<std::int64_t>();
  if (json.is_array()) {
    if (!json.empty() && json[0].is_string()) return json.get<std::vector<std::string>>();
    return json.get<std::vector<std::int64_t>>();
  }
  if (json.contains("float")) return static_cast<float>(real_of(json["float"]));
  if (json.contains("floats")) {
    std::vector<float> floats;
    for (const Json& number : json["floats"]) floats.push_back(static_cast<float>(real_of(number)));
    return floats;
  }
  return tensor_of(json.at("tensor")).to_tensor();
}

Json answer(const Json& request) {
  OpInstance op;
  op.type = request.at("type").get<std::string>();
  op.name = op.type;
  op.opset = request.at("opset").get<int>();
  op.outputs.resize(request.at("outputs").get<std::size_t>());
  for (const auto& [name, value] : request.at("attributes").items()) {
    op.attributes.emplace(name, attribute_of(value));
  }
  std::vector<RefTensor> tensors;
  for (const Json& input : request.at("inputs")) {
    tensors.push_back(input.is_null() ? RefTensor{} : tensor_of(input));
  }
  std::vector<const RefTensor*> inputs;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    inputs.push_back(request["inputs"][i].is_null() ? nullptr : &tensors[i]);
  }
  const bool naive = request.at("precision") == "naive32";
  const auto results =
      evaluate_reference(op, inputs, naive ? RefPrecision::kNaive32 : RefPrecision::kDouble);
  if (!results) return {{"error", to_text(results.error())}};
  Json outputs = Json::array();
  for (const RefTensor& result : *results) outputs.push_back(json_of(result));
  return {{"outputs", std::move(outputs)}};
}

}  // namespace
}  // namespace frit

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      std::cout << frit::answer(nlohmann::json::parse(line)).dump() << std::endl;
    } catch (const std::exception& fault) {
      std::cout << nlohmann::json{{"error", std::string("request: ") + fault.what()}}.dump()
                << std::endl;
    }
  }
}

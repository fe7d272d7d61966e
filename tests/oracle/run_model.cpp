// Compiles small models and runs them kernel by kernel, in one process: one JSON request a line on
// stdin, one answer a line on stdout. For the onnx package's node cases (conformance.py).
//
// Request: {"model":path,"inputs":{name:tensor},"cache":folder}, tensors as bytes. Inputs that the model needs at
// build time (a Reshape's shape) are pinned when the request lists their names in "constants".
// Answer: {"outputs":[tensor]}, when the request says "judge":true with "fault", what disagrees with
// the reference; or {"error":text,"code":code}.
#include <fmt/format.h>

#include <iostream>
#include <string>

#include "generators/build.h"
#include "generators/emit/model_runner.h"
#include "generators/emit/target.h"
#include "generators/verify/compare.h"
#include "generators/verify/evaluate.h"
#include "tests/oracle/json_tensor.h"

namespace frit {
namespace {

Json refusal(const Diagnostic& fault) { return {{"error", to_text(fault)}, {"code", fault.code}}; }

Result<BuildOptions> options_of(const Json& request) {
  BuildOptions options;
  options.model = request.at("model").get<std::string>();
  for (const auto& [name, tensor] : request.at("inputs").items()) {
    options.import.shapes[name] = tensor.at("dims").get<std::vector<std::int64_t>>();
  }
  for (const auto& name : request.at("constants")) {
    const auto key = name.get<std::string>();
    options.import.consts[key] = exact_tensor_of(request["inputs"].at(key));
    options.import.shapes.erase(key);
  }
  const auto target = parse_target("host", false);
  if (!target) return fail(target.error());
  options.emit.target = *target;
  options.emit.cache_folder = request.at("cache").get<std::string>();
  return options;
}

// What disagrees with the double reference of the model as it stands; "" for nothing.
std::string fault_of(const Graph& imported, const Json& inputs, const std::vector<Tensor>& outputs) {
  RefValues values;
  for (const ValueId id : imported.inputs) {
    values[id] = RefTensor::from(exact_tensor_of(inputs.at(imported.value(id).name)));
  }
  const auto reference = evaluate_graph(imported, values, RefPrecision::kDoubleBounded);
  if (!reference) return to_text(reference.error());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const ValueId id = imported.outputs[i];
    const auto& constant = imported.value(id).constant;
    const Comparison comparison = compare_bounded(
        outputs[i], constant ? RefTensor::from(*constant) : reference->at(id));
    if (!comparison.passed) return fmt::format("output {}: {}", i, to_text(comparison));
  }
  return "";
}

Json answer(const Json& request) {
  const auto options = options_of(request);
  if (!options) return refusal(options.error());
  const auto built = build_model(*options);
  if (!built) return refusal(built.error().front());
  const Graph& graph = built->planned.graph;
  const auto runner = ModelRunner::load(graph, built->planned.plan, built->compiled);
  if (!runner) return refusal(runner.error());
  for (const ValueId id : graph.inputs) {
    const Json& tensor = request["inputs"].at(graph.value(id).name);
    if (const Status set = (*runner)->set(id, exact_tensor_of(tensor)); !set) {
      return refusal(set.error());
    }
  }
  if (const Status ran = (*runner)->run(); !ran) return refusal(ran.error());
  std::vector<Tensor> results;
  for (const ValueId id : graph.outputs) results.push_back((*runner)->get(id));
  Json outputs = Json::array();
  for (const Tensor& result : results) outputs.push_back(exact_json_of(result));
  Json told = {{"outputs", std::move(outputs)}};
  if (request.value("judge", false)) {
    told["fault"] = fault_of(built->planned.imported, request["inputs"], results);
  }
  return told;
}

}  // namespace
}  // namespace frit

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      std::cout << frit::answer(nlohmann::json::parse(line)).dump() << std::endl;
    } catch (const std::exception& fault) {
      std::cout << nlohmann::json{{"error", fault.what()}, {"code", "exception"}}.dump()
                << std::endl;
    }
  }
}

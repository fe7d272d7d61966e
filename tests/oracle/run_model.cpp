// Compiles small models and runs them kernel by kernel, in one process: one JSON request a line on
// stdin, one answer a line on stdout. For the onnx package's node cases (conformance.py).
//
// Request: {"model":path,"inputs":{name:tensor},"cache":folder}, tensors as bytes. Inputs that the model needs at
// build time (a Reshape's shape) are pinned when the request lists their names in "constants".
// Answer: {"outputs":[tensor]} or {"error":text,"code":code}.
#include <iostream>
#include <string>

#include "generators/build.h"
#include "generators/emit/model_runner.h"
#include "generators/emit/target.h"
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
  Json outputs = Json::array();
  for (const ValueId id : graph.outputs) {
    outputs.push_back(exact_json_of((*runner)->get(id)));
  }
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
      std::cout << nlohmann::json{{"error", fault.what()}, {"code", "exception"}}.dump()
                << std::endl;
    }
  }
}

// Compiles small models and runs them kernel by kernel, in one process: one JSON request a line on
// stdin, one answer a line on stdout. For the onnx package's node cases (conformance.py).
//
// Request: {"model":path,"inputs":{name:tensor},"cache":folder}, tensors as bytes. Inputs that the
// model needs at build time (a Reshape's shape) are pinned when the request lists their names in
// "constants". Answer: {"outputs":[tensor]}, when the request says "judge":true with "fault", what
// disagrees with the reference, and with "bounds":true also
// "reference":[{"value":tensor,"bound":[…]}], the reference itself; or {"error":text,"code":code}.
// "more":[{name:tensor},…] are further inputs of the same types for the same kernels; "more" of the
// answer holds what they give.
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

using Outputs = std::vector<Tensor>;

// The double reference of the model as it stands, fed with `inputs`.
Result<std::vector<RefTensor>> reference_of(const Graph& imported, const Json& inputs) {
  RefValues values;
  for (const ValueId id : imported.inputs) {
    values[id] = RefTensor::from(exact_tensor_of(inputs.at(imported.value(id).name)));
  }
  const auto reference = evaluate_graph(imported, values, RefPrecision::kDoubleBounded);
  if (!reference) return fail(reference.error());
  std::vector<RefTensor> outputs;
  for (const ValueId id : imported.outputs) {
    const auto& constant = imported.value(id).constant;
    outputs.push_back(constant ? RefTensor::from(*constant) : reference->at(id));
  }
  return outputs;
}

// What disagrees with the reference; "" for nothing.
std::string fault_of(const Outputs& outputs, const std::vector<RefTensor>& reference) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Comparison comparison = compare_bounded(outputs[i], reference[i]);
    if (!comparison.passed) return fmt::format("output {}: {}", i, to_text(comparison));
  }
  return "";
}

Json bounds_of(const std::vector<RefTensor>& reference) {
  Json told = Json::array();
  for (const RefTensor& output : reference) {
    Json bounds = Json::array();
    for (const double bound : output.bound) bounds.push_back(json_of(bound));
    told.push_back({{"value", json_of(output)}, {"bound", std::move(bounds)}});
  }
  return told;
}

Result<Json> run_once(ModelRunner& runner, const BuiltModel& built, const Json& request,
                      const Json& inputs) {
  const Graph& graph = built.planned.graph;
  for (const ValueId id : graph.inputs) {
    const Json& tensor = inputs.at(graph.value(id).name);
    if (const Status set = runner.set(id, exact_tensor_of(tensor)); !set) return fail(set.error());
  }
  if (const Status ran = runner.run(); !ran) return fail(ran.error());
  Outputs results;
  for (const ValueId id : graph.outputs) results.push_back(runner.get(id));
  Json outputs = Json::array();
  for (const Tensor& result : results) outputs.push_back(exact_json_of(result));
  Json told = {{"outputs", std::move(outputs)}};
  if (request.value("judge", false)) {
    const auto reference = reference_of(built.planned.imported, inputs);
    told["fault"] = reference ? fault_of(results, *reference) : to_text(reference.error());
    if (reference && request.value("bounds", false)) told["reference"] = bounds_of(*reference);
  }
  return told;
}

Json answer(const Json& request) {
  const auto options = options_of(request);
  if (!options) return refusal(options.error());
  const auto built = build_model(*options);
  if (!built) return refusal(built.error().front());
  const auto runner = ModelRunner::load(built->planned.graph, built->planned.plan, built->compiled);
  if (!runner) return refusal(runner.error());
  auto told = run_once(**runner, *built, request, request["inputs"]);
  if (!told) return refusal(told.error());
  for (const Json& inputs : request.value("more", Json::array())) {
    auto further = run_once(**runner, *built, request, inputs);
    if (!further) return refusal(further.error());
    (*told)["more"].push_back(std::move(*further));
  }
  return *told;
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

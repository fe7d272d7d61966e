// Evaluates a whole model with the plain-loop reference, in double and in float32 (naive), for the
// oracle test of the networks (networks_slow_test.py).
//
//   frit_reference_model MODEL.onnx INPUT:1x3x224x224 FOLDER COUNT
//
// Reads FOLDER/in<K>.bin (float32) for K < COUNT and writes FOLDER/double<K>.bin and
// FOLDER/naive<K>.bin: the outputs one after the other, in the model's order, as doubles.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "generators/onnx/import.h"
#include "generators/onnx/shape_argument.h"
#include "generators/verify/evaluate.h"

namespace frit {
namespace {

int refuse(const Diagnostic& fault) {
  std::cerr << to_text(fault) << "\n";
  return 1;
}

Result<Tensor> read_input(const std::string& path, const TensorType& type) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  if (type.dtype != DType::kF32 || static_cast<std::int64_t>(text.size()) != type.bytes()) {
    return fail("oracle-input", path + " does not hold " + to_text(type));
  }
  std::vector<float> values(text.size() / sizeof(float));
  std::copy(text.begin(), text.end(), reinterpret_cast<char*>(values.data()));
  return Tensor::f32(type.dims(), values);
}

bool write_outputs(const std::string& path, const Graph& graph, const RefValues& values) {
  std::ofstream stream(path, std::ios::binary);
  for (const ValueId id : graph.outputs) {
    const std::vector<double>& real = values.at(id).real;
    stream.write(reinterpret_cast<const char*>(real.data()),
                 static_cast<std::streamsize>(real.size() * sizeof(double)));
  }
  return stream.flush().good();
}

// Both precisions at once: a core each.
Status evaluate_one(const Graph& graph, const std::string& folder, const std::string& number) {
  const ValueId input = graph.inputs.front();
  const auto tensor = read_input(folder + "/in" + number + ".bin", graph.value(input).type);
  if (!tensor) return fail(tensor.error());
  const RefValues given{{input, RefTensor::from(*tensor)}};
  auto naive = std::async(std::launch::async,
                          [&] { return evaluate_graph(graph, given, RefPrecision::kNaive32); });
  const auto exact = evaluate_graph(graph, given, RefPrecision::kDouble);
  const auto rounded = naive.get();
  if (!exact) return fail(exact.error());
  if (!rounded) return fail(rounded.error());
  if (!write_outputs(folder + "/double" + number + ".bin", graph, *exact) ||
      !write_outputs(folder + "/naive" + number + ".bin", graph, *rounded)) {
    return fail("oracle-write", "cannot write to " + folder);
  }
  return {};
}

int run(const std::string& model, const std::string& shape, const std::string& folder, int count) {
  ImportOptions options;
  const auto named = parse_shape_argument(shape);
  if (!named) return refuse(named.error());
  options.shapes[named->first] = named->second;
  const auto graph = import_model(model, options);
  if (!graph) return refuse(graph.error().front());
  if (graph->inputs.size() != 1) {
    return refuse(error("oracle-input", model + " has not one input"));
  }
  for (int k = 0; k < count; ++k) {
    if (const Status done = evaluate_one(*graph, folder, std::to_string(k)); !done) {
      return refuse(done.error());
    }
  }
  return 0;
}

}  // namespace
}  // namespace frit

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: frit_reference_model MODEL.onnx INPUT:1x3x224x224 FOLDER COUNT\n";
    return 2;
  }
  return frit::run(argv[1], argv[2], argv[3], std::atoi(argv[4]));
}

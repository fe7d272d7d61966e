// Bytes of a model -> import -> passes -> layouts -> plan -> the plan's text and back.
//
// Files for external data lie in the folder that FRIT_FUZZ_DATA names (run.sh makes it).
#include <cstdlib>
#include <random>

#include "generators/build.h"
#include "generators/fusion/plan_text.h"
#include "tests/fuzz/must.h"
#include "tests/support/wire_mutator.h"

namespace frit::testing {
namespace {

std::vector<std::string> public_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueId input : graph.inputs) names.push_back(graph.value(input).name);
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) names.push_back(graph.output_name(i));
  return names;
}

void plan_and_read_back(const Graph& graph) {
  const auto plan = make_plan(graph, {});
  if (!plan) return must_speak({plan.error()});
  const std::string text = to_text(*plan, graph);
  const auto again = parse_plan(text, "plan", graph, {});
  if (!again) {
    must_speak(again.error());
    must(false, "a plan's own text is refused: " + to_text(again.error().front()) + "\n" + text);
  }
  must(to_text(*again, graph) == text, "a plan's text reads as another plan:\n" + text);
}

void import_and_plan(std::string_view bytes, const std::filesystem::path& file) {
  auto graph = import_model_bytes(bytes, file, {});
  if (!graph) return must_speak(graph.error());
  must(!to_text(*graph).empty(), "a graph without text");
  const std::vector<std::string> names = public_names(*graph);
  const auto passed = run_passes(*graph);
  if (!passed) return must_speak({passed.error()});
  graph->check();
  insert_layouts(*graph);
  graph->check();
  must(public_names(*graph) == names, "an input or output lost its name");
  plan_and_read_back(*graph);
}

// Operators and attributes, beside the names in the file itself.
const std::vector<std::string>& words() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> made = {
        "alpha",        "auto_pad",  "axes",        "axis",
        "beta",         "blocksize", "ceil_mode",   "count_include_pad",
        "dilations",    "epsilon",   "group",       "keepdims",
        "kernel_shape", "mode",      "num_outputs", "pads",
        "perm",         "split",     "strides",     "to",
        "transA",       "transB",    "value",       "constant",
        "SAME_UPPER",   "reflect",   "then_branch", "else_branch",
        "body",         "edge",      "VALID",       "location",
        "offset",       "length",    "w.bin"};
    for (const Operator* op : all_operators()) made.emplace_back(op->type());
    return made;
  }();
  return all;
}

}  // namespace
}  // namespace frit::testing

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

// Fields of the protobuf three times of four, so that most mutants still parse.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::mt19937 random(seed);
  if (random() % 4 == 0) return LLVMFuzzerMutate(data, size, most);
  const std::string model(reinterpret_cast<const char*>(data), size);
  const std::string made = frit::testing::mutate_fields(model, frit::testing::words(), random);
  if (made == model || made.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(made.begin(), made.end(), data);
  return made.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const folder = std::getenv("FRIT_FUZZ_DATA");
  static const std::filesystem::path file =
      std::filesystem::path(folder == nullptr ? "." : folder) / "model.onnx";
  frit::testing::import_and_plan({reinterpret_cast<const char*>(data), size}, file);
  return 0;
}

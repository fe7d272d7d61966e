// Seeds and dictionaries of the fuzz targets, from what the sources themselves know.
//
// usage: frit_fuzz_seeds FOLDER     writes FOLDER/{model,plan}/*, FOLDER/data/w.bin,
// FOLDER/*.dict
#include <iostream>
#include <set>

#include "schedules/directives.h"
#include "tests/fuzz/planned_samples.h"
#include "tests/fuzz/seed_files.h"
#include "tests/support/sample_models.h"

namespace frit::testing {
namespace {

// A model whose weights lie in w.bin, which holds 256 bytes.
std::string external_model() {
  ModelBuilder m(13);
  m.input("x", {2, 4}).weights("w", {4, 4}).node("MatMul", {"x", "w"}, {"y"}).output("y");
  onnx::TensorProto& weights = *m.graph().mutable_initializer(0);
  weights.clear_float_data();
  weights.clear_raw_data();
  weights.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] :
       {std::pair{"location", "w.bin"}, {"offset", "64"}, {"length", "64"}}) {
    onnx::StringStringEntryProto& entry = *weights.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  return m.bytes();
}

void write_models(const fs::path& folder) {
  int number = 0;
  for (const ModelBuilder& model : sample_models()) {
    write(folder / ("sample_" + std::to_string(number++)), model.bytes());
  }
  write(folder / "external", external_model());
}

void write_plans(const fs::path& folder) {
  char number = 0;
  for (const PlannedModel& model : planned_samples()) {
    const std::string choice(1, number);
    write(folder / ("sample_" + std::to_string(number++)),
          choice + to_text(model.plan, model.graph));
  }
}

std::set<std::string> schedule_words() {
  std::set<std::string> words = {"schedule 1\\x0afor ",
                                 "for ",
                                 "when ",
                                 "param ",
                                 " in {",
                                 "let ",
                                 "pack ",
                                 "if ",
                                 "else\\x0a",
                                 "end\\x0a",
                                 "optional ",
                                 "priority ",
                                 ".update(0)",
                                 "default",
                                 "lanes",
                                 "threads",
                                 "registers",
                                 "not ",
                                 " and ",
                                 " or ",
                                 " ? ",
                                 "min(",
                                 "max(",
                                 "ceil_div(",
                                 "divides(",
                                 "largest_divisor(",
                                 "GuardWithIf",
                                 "ShiftInwards",
                                 "RoundUp",
                                 "Predicate",
                                 "Auto",
                                 "out",
                                 "acc",
                                 "pre_0",
                                 "epi_0",
                                 "in_0",
                                 "9223372036854775807",
                                 "-1",
                                 "0",
                                 "*"};
  for (const DirectiveSpec& spec : all_directives())
    words.insert("." + std::string(spec.name) + "(");
  return words;
}

}  // namespace
}  // namespace frit::testing

int main(int count, char** arguments) {
  using namespace frit::testing;
  if (count != 2) {
    std::cerr << "usage: frit_fuzz_seeds FOLDER\n";
    return 2;
  }
  const fs::path folder = arguments[1];
  write_models(folder / "model");
  write_plans(folder / "plan");
  write(folder / "data" / "w.bin", std::string(256, '\x3f'));
  std::set<std::string> operators = {"ai.onnx", "auto_pad", "SAME_UPPER", "VALID"};
  for (const frit::Operator* op : frit::all_operators()) operators.insert(std::string(op->type()));
  write_dictionary(folder / "model.dict", operators);
  write_dictionary(folder / "schedule.dict", schedule_words());
  write_dictionary(folder / "plan.dict", {"plan 1", "in ", "group ", " kernel ", " alias", "node ",
                                          " anchor", "out ", " stored ", " fill ", " strides ",
                                          " offset ", " id ", "(+1+1)", "f32[", "none"});
  return 0;
}

// The two real models of the demo as packages: gates "symbols", "memory" and "repeatable".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "generators/emit/emit.h"
#include "generators/emit/target.h"
#include "generators/fusion/planner.h"
#include "generators/onnx/import.h"
#include "generators/package/package.h"
#include "generators/passes/passes.h"
#include "generators/verify/evaluate.h"
#include "tests/generators/package/hand_made_testing.h"

namespace frit {
namespace {

namespace fs = std::filesystem;

struct Case {
  const char* file;
  const char* name;
  std::int64_t width;
};
const Case kRecogniser = {"ch_PP-OCRv4_rec_infer.onnx", "ocr_rec", 320};
const Case kClassifier = {"ch_ppocr_mobile_v2.0_cls_infer.onnx", "ocr_cls", 192};

std::string path_of(const Case& model) {
  return std::string(FRIT_SOURCE_DIR "/build/models/") + model.file;
}

struct Made {
  Graph graph;
  PackageFiles files;
};

/// Packages the model into `folder`; nullopt (and a failed test) where a part refuses.
std::optional<Made> package(const Case& model, const std::string& folder, int threads,
                            Weights weights = Weights::kInline) {
  ImportOptions import;
  import.shapes["x"] = {1, 3, 48, model.width};
  auto graph = import_model(path_of(model), import);
  if (!graph) {
    ADD_FAILURE() << to_text(graph.error()[0]);
    return std::nullopt;
  }
  if (const auto passes = run_passes(*graph); !passes) {
    ADD_FAILURE() << to_text(passes.error());
    return std::nullopt;
  }
  insert_layouts(*graph);
  const Result<Plan> plan = make_plan(*graph, {});
  if (!plan) {
    ADD_FAILURE() << to_text(plan.error());
    return std::nullopt;
  }
  EmitOptions options;
  options.target = *parse_target("host", false);
  options.cache_folder = folder + "-cache";
  const auto compiled = emit_model(*graph, *plan, options);
  if (!compiled) {
    ADD_FAILURE() << to_text(compiled.error()[0]);
    return std::nullopt;
  }
  PackageOptions package;
  package.name = model.name;
  package.out_dir = folder;
  package.target = options.target;
  package.threads = threads;
  package.weights = weights;
  auto files = write_package(*graph, *plan, *compiled, package);
  if (!files) {
    ADD_FAILURE() << to_text(files.error());
    return std::nullopt;
  }
  return Made{std::move(*graph), std::move(*files)};
}

void write_floats(const std::string& path, const std::vector<double>& values) {
  std::ofstream file(path, std::ios::binary);
  for (const double value : values) {
    const auto rounded = static_cast<float>(value);
    file.write(reinterpret_cast<const char*>(&rounded), sizeof rounded);
  }
}

/// Input and expected output (by the reference) as files of floats.
void write_data(const Graph& graph, const std::string& folder) {
  const ValueId input = graph.inputs[0];
  const TensorType& type = graph.value(input).type;
  std::vector<float> x(static_cast<std::size_t>(type.elements()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i * 7919 % 2003) / 1001.0F - 1.0F;
  }
  RefValues known;
  known[input] = RefTensor::from(Tensor::f32(type.dims(), x));
  const auto values = evaluate_graph(graph, known, RefPrecision::kDouble);
  ASSERT_TRUE(values) << to_text(values.error());
  write_floats(folder + "/in.bin", known[input].real);
  write_floats(folder + "/out.bin", values->at(graph.outputs[0]).real);
}

/// Name of the one output in the header.
std::string output_of(const std::string& header) {
  std::ifstream file(header);
  std::stringstream text;
  text << file.rdbuf();
  std::smatch found;
  const std::string header_text = text.str();
  const bool is_there = std::regex_search(header_text, found, std::regex("float\\* (\\w+);\n\\} "));
  return is_there ? found[1].str() : "";
}

void expect_runs_in_c(const Case& model, int threads) {
  if (!fs::exists(path_of(model))) GTEST_SKIP() << model.file << " is not here";
  TestFolder folder;
  const std::string out = folder.path() + "/p";
  const auto made = package(model, out, threads);
  ASSERT_TRUE(made);
  const MemoryPlan& memory = made->files.memory;
  EXPECT_LE(static_cast<double>(memory.arena.peak_bytes),
            1.1 * static_cast<double>(memory.arena.lower_bound_bytes))
      << arena_picture(memory.ranges, memory.arena, 100);
  write_data(made->graph, folder.path());
  const std::string header = out + "/" + model.name + ".h";
  const std::string output = output_of(header);
  const std::string name = model.name;
  std::string command = "cd '" + folder.path() + "' && cc -std=c99 -Wall -Wextra -Werror -pedantic";
  command += " -O1 '-DM(x)=" + name + "_##x' -DIN=x -DOUT=" + output;
  command += " -DIN_BYTES=" + name + "_x_BYTES -DOUT_BYTES=" + name + "_" + output + "_BYTES";
  command += " -DTHREADS=" + name + "_THREADS_MAX '-DHEADER=\"" + header + "\"' -o use ";
  command += FRIT_SOURCE_DIR "/tests/generators/package/use_model.c '" + made->files.archive;
  command += "' -lm -pthread && ./use in.bin out.bin";
  const ShellResult ran = shell(command);
  EXPECT_EQ(ran.status, 0) << ran.output;
  ::testing::Test::RecordProperty("output", ran.output);
}

TEST(SlowRealModel, ClassifierRunsInCBetweenGuardPages) { expect_runs_in_c(kClassifier, 1); }
TEST(SlowRealModel, RecogniserRunsInCBetweenGuardPages) { expect_runs_in_c(kRecogniser, 1); }
TEST(SlowRealModel, RecogniserWithTwoThreadsRunsInC) { expect_runs_in_c(kRecogniser, 2); }

TEST(SlowRealModel, BothLinkIntoOneProgramAndNeedOnlyLibc) {
  if (!fs::exists(path_of(kRecogniser))) GTEST_SKIP() << "the models are not here";
  TestFolder folder;
  const std::string out = folder.path() + "/p";
  ASSERT_TRUE(package(kRecogniser, out, 1) && package(kClassifier, out, 1));
  const ShellResult needed =
      shell("cd '" + out +
            "' && nm -u *.a | sed -n 's/^ *U //p' | sort -u | "
            "grep -vxE 'mem(cpy|set|move)|(exp|log|pow|tanh|sinh|cosh|erf|floor|ceil)f?'");
  EXPECT_EQ(needed.output, "");
  std::ofstream(out + "/both.c") << "#include \"ocr_rec.h\"\n#include \"ocr_cls.h\"\n"
                                    "int main(void) { return ocr_rec_arena_bytes(1) == 0 || "
                                    "ocr_cls_arena_bytes(1) == 0; }\n";
  const ShellResult linked = shell("cd '" + out +
                                   "' && cc -std=c99 -Wall -Wextra -Werror -pedantic "
                                   "both.c -o both -L. -locr_rec -locr_cls -lm && ./both");
  EXPECT_EQ(linked.status, 0) << linked.output;
}

TEST(SlowRealModel, BothAtOnceWithThreadsGiveTheirOwnBits) {
  if (!fs::exists(path_of(kRecogniser))) GTEST_SKIP() << "the models are not here";
  TestFolder folder;
  const std::string out = folder.path() + "/p";
  ASSERT_TRUE(package(kRecogniser, out, 3) && package(kClassifier, out, 2));
  std::string command = "cd '" + out + "' && cc -std=c11 -Wall -Wextra -Werror -pedantic -O1 -I.";
  command += " -DREC_OUT=" + output_of(out + "/ocr_rec.h");
  command += " -DCLS_OUT=" + output_of(out + "/ocr_cls.h") + " -o use ";
  command += FRIT_SOURCE_DIR "/tests/generators/package/use_two.c";
  command += " -L. -locr_rec -locr_cls -lm -pthread && ./use";
  const ShellResult ran = shell(command);
  EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST(SlowRealModel, EveryBrokenWeightsFileOfTheClassifierIsAnErrorOfInit) {
  if (!fs::exists(path_of(kClassifier))) GTEST_SKIP() << "the models are not here";
  TestFolder folder;
  const std::string out = folder.path() + "/p";
  const auto made = package(kClassifier, out, 1, Weights::kExternal);
  ASSERT_TRUE(made);
  std::ofstream(folder.path() + "/other", std::ios::binary)
      << "frit.wts" << std::string("\1\0\0\0\x40\0\0\0", 8) << std::string(4096, 'x');
  std::string command = "cd '" + out + "' && cc -std=c11 -Wall -Wextra -Werror -pedantic -O1";
  command += " '-DM(x)=ocr_cls_##x' '-DHEADER=\"ocr_cls.h\"' '-DMAP_HEADER=\"ocr_cls_weights.h\"'";
  command += " -DIN_FLOATS=ocr_cls_x_ELEMENTS -DOUT_FLOATS=2 '-DSET_IO(io,in,out)=io.x=in;io.";
  command += output_of(out + "/ocr_cls.h") + "=out' -I. -o use ";
  command += FRIT_SOURCE_DIR "/tests/generators/package/use_weights.c libocr_cls.a -lm && ./use ";
  command += "ocr_cls.weights '" + folder.path() + "/other' 997";
  const ShellResult ran = shell(command);
  EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST(SlowRealModel, ColdBuildsInTwoFoldersGiveTheSameBytes) {
  if (!fs::exists(path_of(kClassifier))) GTEST_SKIP() << "the models are not here";
  TestFolder folder;
  ASSERT_TRUE(package(kClassifier, folder.path() + "/one", 1));
  ASSERT_TRUE(package(kClassifier, folder.path() + "/other", 1));
  const ShellResult same = shell("cd '" + folder.path() +
                                 "' && diff -r one other && "
                                 "! grep -rl '" +
                                 folder.path() + "' one");
  EXPECT_EQ(same.status, 0) << same.output;
}

}  // namespace
}  // namespace frit

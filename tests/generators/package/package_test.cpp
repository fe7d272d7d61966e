#include "generators/package/package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "generators/package/loaded_package.h"
#include "tests/generators/package/hand_made_testing.h"

namespace frit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

PackageOptions options_in(const std::string& folder, int threads) {
  PackageOptions options;
  options.name = "hand_made";
  options.out_dir = folder;
  options.target = Halide::get_host_target();
  options.threads = threads;
  return options;
}

class Package : public ::testing::Test {
 protected:
  PackageFiles write(const PackageOptions& options) {
    const Result<PackageFiles> files =
        write_package(model_.graph, model_.plan, model_.compiled, options);
    if (files) return *files;
    ADD_FAILURE() << to_text(files.error());
    return {};
  }

  TestFolder folder_;
  HandMade model_ = hand_made_model(folder_.path());
};

TEST_F(Package, RunsInACProgramBetweenGuardPagesWithoutAllocating) {
  for (const int threads : {1, 3}) {
    PackageOptions options = options_in(folder_.path() + "/p" + std::to_string(threads), threads);
    options.debug = threads == 1;
    const PackageFiles files = write(options);
    const std::string program = options.out_dir + "/use";
    const ShellResult built =
        shell("cc -std=c99 -Wall -Wextra -Werror -pedantic -O1 -I'" + options.out_dir + "' -o '" +
              program + "' " FRIT_SOURCE_DIR "/tests/generators/package/use_hand_made.c '" +
              files.archive + "' -lm -pthread");
    ASSERT_EQ(built.status, 0) << built.output;
    const ShellResult ran = shell("'" + program + "'");
    EXPECT_EQ(ran.status, 0) << ran.output;
  }
}

TEST_F(Package, ForAArch64RunsUnderQemu) {
  if (shell("aarch64-linux-gnu-gcc --version && qemu-aarch64 --version").status != 0) {
    GTEST_SKIP() << "no AArch64 compiler or no qemu-aarch64 here";
  }
  model_ = hand_made_model(folder_.path(), "aarch64-linux-gnu-gcc");
  PackageOptions options = options_in(folder_.path() + "/arm", 2);
  options.target = Halide::Target("arm-64-linux");
  const PackageFiles files = write(options);
  const std::string program = options.out_dir + "/use";
  const ShellResult built = shell(
      "aarch64-linux-gnu-gcc -std=c99 -Wall -Wextra -Werror -pedantic "
      "-static -I'" +
      options.out_dir + "' -o '" + program +
      "' -DNO_INTERPOSER " FRIT_SOURCE_DIR "/tests/generators/package/use_hand_made.c '" +
      files.archive + "' -lm -pthread");
  ASSERT_EQ(built.status, 0) << built.output;
  const ShellResult ran = shell("qemu-aarch64 '" + program + "'");
  EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST_F(Package, NeedsOnlyNamesOfLibc) {
  const PackageFiles files = write(options_in(folder_.path() + "/p", 1));
  const ShellResult undefined = shell("nm -u '" + files.archive + "' | sed -n 's/^ *U //p' | sort");
  EXPECT_EQ(undefined.output, "memcpy\nmemset\n");
  const ShellResult global =
      shell("nm -g --defined-only '" + files.archive + "' | sed -n 's/.* [A-Z] //p' | sort");
  EXPECT_EQ(global.output,
            "hand_made_arena_bytes\nhand_made_error_text\nhand_made_init\nhand_made_release\n"
            "hand_made_run\n");
  EXPECT_THAT(shell("nm '" + files.archive + "'").output, Not(HasSubstr("hand_relu_argv")));
}

TEST_F(Package, SameBytesInAnotherFolder) {
  const std::string other = folder_.path() + "/another place";
  write(options_in(folder_.path() + "/p", 2));
  std::filesystem::create_directories(other);
  TestFolder elsewhere;
  model_ = hand_made_model(elsewhere.path());  // kernels, too, from another folder
  write(options_in(other, 2));
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(other)) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(read_file(entry.path()) == read_file(folder_.path() + "/p/" + name)) << name;
    EXPECT_THAT(read_file(entry.path()), Not(HasSubstr(folder_.path()))) << name;
    ++files;
  }
  EXPECT_EQ(files, 5);
}

TEST_F(Package, TwoModelsLinkIntoOneProgram) {
  const std::string out = folder_.path() + "/p";
  PackageOptions options = options_in(out, 1);
  write(options);
  options.name = "second model";
  const PackageFiles second = write(options);
  EXPECT_EQ(second.c_name, "second_model");
  std::ofstream(out + "/both.cc") << R"(
#include "hand_made.h"
#include "second_model.h"
int main() {
  return hand_made_arena_bytes(1) == second_model_arena_bytes(1) && hand_made_arena_bytes(1) > 0
             ? 0 : 1;
}
)";
  const ShellResult built = shell("cd '" + out +
                                  "' && c++ -Wall -Wextra -Werror -pedantic both.cc -o both "
                                  "-L. -lhand_made -lsecond_model -lm && ./both");
  EXPECT_EQ(built.status, 0) << built.output;
}

TEST_F(Package, ModelsMayBeCalledAsTheRuntimeOrTheLibrary) {
  for (const auto& [name, c_name] :
       {std::pair("error", "error"), std::pair("plan", "plan"), std::pair("string", "string_model"),
        std::pair("frit", "frit_model"), std::pair("m", "m_model"), std::pair("int", "int_"),
        std::pair("\xe6\xa8\xa1", "model")}) {
    PackageOptions options = options_in(folder_.path() + "/p", 1);
    options.name = name;
    const PackageFiles files = write(options);
    EXPECT_EQ(files.c_name, c_name);
    EXPECT_THAT(shell("nm -g '" + files.archive + "'").output,
                HasSubstr(std::string(" T ") + c_name + "_run\n"));
  }
}

TEST_F(Package, SharedObjectRunsInThisProcess) {
  const Result<SharedObject> object = write_shared_object(
      model_.graph, model_.plan, model_.compiled, options_in(folder_.path() + "/so", 2));
  ASSERT_TRUE(object) << to_text(object.error());
  Result<LoadedPackage> loaded = LoadedPackage::load(*object, model_.graph, 2);
  ASSERT_TRUE(loaded) << to_text(loaded.error());
  EXPECT_EQ(loaded->steps(), 4);
  for (int run = 0; run < 3; ++run) {
    std::vector<float> x(144);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 5 + 3) % 17) - 8.0F;
    const auto outputs = loaded->run({Tensor::f32({1, 3, 6, 8}, x)});
    ASSERT_TRUE(outputs) << to_text(outputs.error());
    const HandMadeResult want = hand_made_result(x);
    const auto y = (*outputs)[0].data<float>();
    const auto scaled = (*outputs)[1].data<float>();
    EXPECT_EQ(std::vector<float>(y.begin(), y.end()), want.y);
    EXPECT_EQ(std::vector<float>(scaled.begin(), scaled.end()), want.scaled);
  }
  const auto wrong = loaded->run({Tensor::f32({2}, {1, 2})});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(to_text(wrong.error()),
            "error: input 0 is f32[2] but the model was built for f32[1,3,6,8]; convert it or "
            "build for its shape [package-input]");
}

TEST_F(Package, InitRefusesBadOptionsWithASentence) {
  const std::string out = folder_.path() + "/p";
  PackageOptions options = options_in(out, 1);
  options.debug = true;
  write(options);
  std::ofstream(out + "/bad.c") << R"(
#include <stdio.h>
#include <stdlib.h>
#include "hand_made.h"
static hand_made_context context;
static float x[144], y[144], c[144];
static void try_init(size_t size, void* arena, size_t bytes, int threads) {
  hand_made_options options = {0};
  options.size = size; options.arena = arena; options.arena_bytes = bytes;
  options.threads = threads;
  puts(hand_made_error_text(hand_made_init(&context, &options)));
}
static void try_run(const float* in, float* out, float* also) {
  hand_made_io io;
  io.x = in; io.y = out; io.c = also;
  puts(hand_made_error_text(hand_made_run(&context, &io)));
}
int main(void) {
  size_t bytes = hand_made_arena_bytes(1);
  char* arena = aligned_alloc(64, bytes + 64);
  try_run(x, y, c);
  puts(hand_made_error_text(hand_made_init(0, 0)));
  try_init(8, arena, bytes, 1);
  try_init(sizeof(hand_made_options), 0, bytes, 1);
  try_init(sizeof(hand_made_options), arena + 4, bytes, 1);
  try_init(sizeof(hand_made_options), arena, bytes - 1, 1);
  try_init(sizeof(hand_made_options), arena, bytes, 2);
  try_run(x, y, c);
  try_init(sizeof(hand_made_options), arena, bytes, 0);
  try_run(0, y, c);
  try_run((const float*)((const char*)x + 1), y, c);
  try_run(x, y, y);
  try_run(x, y, (float*)(void*)arena);
  try_run(x, y, c);
  hand_made_release(&context);
  try_run(x, y, c);
  puts(hand_made_error_text(-7));
  free(arena);
  return 0;
}
)";
  const ShellResult ran = shell("cd '" + out +
                                "' && cc -std=c11 -Wall -Wextra bad.c -o bad "
                                "-L. -lhand_made -lm && ./bad");
  EXPECT_EQ(ran.output,
            "the context was never initialised, or was released\n"
            "a context, options or io pointer is null\n"
            "options.size is smaller than the options struct of this package; set it to sizeof of "
            "that struct\n"
            "options.arena is null; give at least arena_bytes(threads) bytes\n"
            "options.arena is not aligned to 64 bytes\n"
            "options.arena_bytes is less than arena_bytes(options.threads)\n"
            "options.threads is outside what the package was built for; see the header\n"
            "the context was never initialised, or was released\n"
            "success\n"
            "an input or output pointer in io is null\n"
            "an input or output pointer in io is not aligned as the header says\n"
            "an output in io overlaps an input, another output or the arena\n"
            "an output in io overlaps an input, another output or the arena\n"
            "success\n"
            "the context was never initialised, or was released\n"
            "no error has this code\n");
}

TEST_F(Package, ReportTellsGroupsEdgesAndMemory) {
  const PackageFiles files = write(options_in(folder_.path() + "/p", 1));
  const nlohmann::json report = nlohmann::json::parse(read_file(files.report));
  EXPECT_EQ(report["schema"], "frit.report/1");
  EXPECT_EQ(report["groups"].size(), 4U);
  EXPECT_EQ(report["groups"][2]["onnx_nodes"][0], "Mul_node");
  EXPECT_EQ(report["edges"][0]["terms"]["bytes_saved"], 576.0);
  EXPECT_EQ(report["outputs"][1]["c_name"], "c");
  EXPECT_EQ(report["memory"]["in_place"][0][0], "b");
  EXPECT_EQ(report["constants"]["bytes"], 64);
  EXPECT_EQ(report["memory"]["planned_bytes"], files.memory.arena.peak_bytes);
}

TEST_F(Package, PlanInCSaysWhichNodesEachStepRuns) {
  PackageOptions options = options_in(folder_.path() + "/p", 1);
  options.keep_plan = true;
  const std::string plan = read_file(write(options).plan);
  EXPECT_THAT(plan, HasSubstr("/* Step 1: hand_box_1, schedule by hand\n"
                              " *   AveragePool \"AveragePool_node\"\n"
                              " * in_0: a f32[1,3,6,8], 576 bytes\n"
                              " * out_0: b f32[1,3,6,8], 576 bytes\n */\n"));
}

TEST_F(Package, FoundByCMakeAndPkgConfig) {
  const PackageFiles files = write(options_in(folder_.path() + "/p", 1));
  const std::string out = folder_.path() + "/p";
  EXPECT_THAT(read_file(files.cmake), HasSubstr("add_library(hand_made STATIC IMPORTED)"));
  EXPECT_THAT(read_file(files.pkg_config), HasSubstr("Libs: -L${prefix} -lhand_made -lm\n"));
}

TEST_F(Package, ForAGpuIsRefused) {
  PackageOptions options = options_in(folder_.path() + "/p", 1);
  options.target = Halide::Target("x86-64-linux-opencl");
  const auto files = write_package(model_.graph, model_.plan, model_.compiled, options);
  ASSERT_FALSE(files);
  EXPECT_EQ(to_text(files.error()),
            "error: the kernels are for x86-64-linux-opencl, but a package holds no device runtime "
            "yet; build for host, x86 or arm [package-target]");
}

TEST_F(Package, IsNotLoadedTwiceFromOnePath) {
  const auto object = write_shared_object(model_.graph, model_.plan, model_.compiled,
                                          options_in(folder_.path() + "/so", 1));
  ASSERT_TRUE(object);
  const auto first = LoadedPackage::load(*object, model_.graph, 1);
  ASSERT_TRUE(first);
  EXPECT_EQ(LoadedPackage::load(*object, model_.graph, 1).error().code, "package-load");
}

// Inputs, a constant and nothing else: every output is a copy. Names of every awkward kind.
TEST(PackageNames, AnyNamesCompileAsC99AndCxx) {
  const std::vector<std::string> names = {"int",
                                          "class",
                                          "",
                                          "*/ int x; /*",
                                          "a.b",
                                          "a:b",
                                          "\xe8\xbe\x93\xe5\x85\xa5",
                                          "\xff\xfe\n",
                                          "linux",
                                          "x\\",
                                          std::string(500, 'n'),
                                          std::string(501, 'n'),
                                          "1",
                                          "FRIT_ALIGNMENT",
                                          "INT8_MAX",
                                          "?\?/",
                                          "fused",
                                          "io",
                                          "worker",
                                          "context",
                                          "memcpy"};
  Graph graph;
  Plan plan;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto extent = static_cast<std::int64_t>(i);  // 0 among them
    const TensorType type(i % 2 == 0 ? DType::kF32 : DType::kU8, {extent, 3});
    const ValueId id = graph.add_value({names[i], type, {}, kNone});
    plan.storage[id] = dense_storage(2);
    graph.inputs.push_back(id);
    graph.outputs.push_back(id);
  }
  const Tensor scalar = Tensor::f32({}, {2.5F});
  graph.outputs.push_back(graph.add_value({"double", scalar.type(), scalar, kNone}));
  TestFolder folder;
  PackageOptions options = options_in(folder.path(), 1);
  options.name = "switch";
  const auto files = write_package(graph, plan, {}, options);
  ASSERT_TRUE(files) << to_text(files.error());
  std::ofstream(folder.path() + "/use.c") << "#include \"switch_.h\"\n"
                                             "int main(void) { return switch__run(0, 0) != 1; }\n";
  for (const char* compiler : {"cc -std=c99", "c++ -x c++ -std=c++20"}) {
    const ShellResult built = shell(
        "cd '" + folder.path() + "' && " + compiler +
        " -Wall -Wextra -Werror -pedantic -c use.c && cc use.o -L. -lswitch_ -o use && ./use");
    EXPECT_EQ(built.status, 0) << built.output;
  }
  const auto object = write_shared_object(graph, plan, {}, options);
  ASSERT_TRUE(object) << to_text(object.error());
  auto loaded = LoadedPackage::load(*object, graph, 1);
  ASSERT_TRUE(loaded) << to_text(loaded.error());
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs) {
    const TensorType& type = graph.value(id).type;
    std::vector<std::byte> bytes(static_cast<std::size_t>(type.bytes()), std::byte{7});
    inputs.emplace_back(type.dtype, type.dims(),
                        std::make_shared<const std::vector<std::byte>>(std::move(bytes)));
  }
  const auto outputs = loaded->run(inputs);
  ASSERT_TRUE(outputs) << to_text(outputs.error());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal((*outputs)[i].bytes(), inputs[i].bytes())) << names[i];
  }
  EXPECT_EQ(outputs->back().data<float>()[0], 2.5F);
}

TEST_F(Package, MissingCompilerIsADiagnostic) {
  setenv("CC", "no-such-compiler-here", 1);
  const Result<PackageFiles> files = write_package(model_.graph, model_.plan, model_.compiled,
                                                   options_in(folder_.path() + "/p", 1));
  unsetenv("CC");
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, "package-tool");
  EXPECT_THAT(files.error().message, HasSubstr("'no-such-compiler-here' cannot be started"));
  EXPECT_THAT(shell("ls -A '" + folder_.path() + "/p'").output, IsEmpty());
}

}  // namespace
}  // namespace frit

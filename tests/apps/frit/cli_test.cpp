// The program itself: exit codes, streams and the form of answers.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/frit/npy.h"
#include "tests/support/model_builder.h"

namespace frit {
namespace {

using ::testing::HasSubstr;
using testing::Ints;
using testing::ModelBuilder;
using ::testing::TempDir;

struct Outcome {
  int code = -1;
  std::string out, err;
};

std::string scratch(const std::string& name) { return TempDir() + "frit_cli_test_" + name; }

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Outcome frit(const std::string& arguments) {
  const std::string err = scratch(fmt::format("stderr_{}", ::getpid()));
  const std::string command = fmt::format("FRIT_CACHE_DIR={} {} {} 2> {}", scratch("cache"),
                                          FRIT_BINARY_DIR "/apps/frit", arguments, err);
  Outcome outcome;
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.out.append(buffer.data(), got);
  }
  const int status = ::pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.err = text_of(err);
  return outcome;
}

/// conv + relu with an open height; its path.
std::string small_model() {
  ModelBuilder m(13);
  m.input("x", {1, 3, -1, 9}).weights("w", {8, 3, 3, 3});
  m.node("Conv", {"x", "w"}, {"c"}, {{"pads", Ints{1, 1, 1, 1}}}, "conv1");
  m.node("Relu", {"c"}, {"y"}, {}, "relu1").output("y");
  auto* entry = m.proto().add_metadata_props();
  entry->set_key("labels");
  entry->set_value("one\ntwo");
  const std::string path = scratch(fmt::format("small_{}.onnx", ::getpid()));
  std::ofstream(path, std::ios::binary) << m.bytes();
  return path;
}

const char* const kShape = " --shape x:1x3x7x9 ";

TEST(FritProgram, RefusesAWrongCommandLineWith2) {
  EXPECT_EQ(frit("").code, 2);
  const Outcome unknown = frit("frobnicate");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("there is no command 'frobnicate' [cli-usage]"));
  EXPECT_EQ(frit("plan " + small_model() + " --shape x").code, 2);
  EXPECT_EQ(frit("plan " + small_model() + kShape + "--no-fuse conv1").code, 2);
  EXPECT_EQ(frit("plan " + small_model() + kShape + "--target pdp11").code, 2);
}

TEST(FritProgram, RefusesWordsThatItWouldHaveToChangeOrIgnoreWith2) {
  const std::string model = small_model() + kShape;
  const std::string build = "build " + model + "-o " + scratch("never") + " ";
  const auto expect_refused = [](const std::string& arguments, const std::string& why) {
    const Outcome outcome = frit(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(why));
  };
  expect_refused(build + "--name 'a b'", "'a b' is no name for C functions");
  expect_refused(build + "--name math", "which math.h would hide; use 'math_model' [cli-name]");
  expect_refused(build + "--name m",
                 "'m' is the name of a usual library, which libm.a would hide where programs are "
                 "linked with -lm; use 'm_model' [cli-name]");
  expect_refused(build + "--cpu-levels baseline,,avx2",
                 "--cpu-levels: '' in 'baseline,,avx2' is none of baseline, avx2, avx512; write a "
                 "list of them with ',' [cli-usage]");
  expect_refused(build + "--emit plan,", "'' in 'plan,' is none of");
  expect_refused(build + "--target host,x86-64-linux",
                 "--target names 2 targets, host and x86-64-linux, but a package is for one");
  expect_refused("run " + model + "--output y=a.npy --output y=b.npy",
                 "'y' is to be written twice, to 'a.npy' and to 'b.npy'; keep one [cli-output]");
  expect_refused("run " + model + "--output y=a.npy --dump c=a.npy",
                 "'a.npy' is to hold both 'y' and 'c'");
  expect_refused("bench --min-time nan .", "--min-time: 'nan' is no number");
  expect_refused("bench --min-time -1 .", "--min-time: Value -1 not in range");
  expect_refused("--log foo ops", "--log: 'foo' in 'foo' is none of import, passes, plan, emit");
  expect_refused("--version > /dev/null; FRIT_LOG=emit,foo " FRIT_BINARY_DIR "/apps/frit ops",
                 "'foo' in FRIT_LOG is none of import, passes, plan, emit");
  for (const char* command : {"plan ", "run ", "explain ", "verify ", "profile "}) {
    expect_refused(command + model + "--group nope", "not expected: ");
  }
  expect_refused("show graph " + model + "--group nope",
                 "--group nope chooses a group, but 'show graph' shows the whole model; leave it "
                 "out [cli-group]");
  EXPECT_FALSE(std::filesystem::exists(scratch("never")));
}

TEST(FritProgram, LogsTheStepsThatAreAskedFor) {
  const std::string plan = "plan " + small_model() + kShape;
  EXPECT_EQ(frit(plan).err, "");
  const Outcome steps = frit("-v " + plan);
  EXPECT_THAT(steps.err, HasSubstr(": 2 nodes, 1 inputs, 1 outputs\n"));
  EXPECT_THAT(steps.err, HasSubstr("plan: 3 groups\n"));
  EXPECT_THAT(steps.err, Not(HasSubstr("conv2d")));
  const Outcome groups = frit("--log plan " + plan);
  EXPECT_THAT(groups.err, ::testing::StartsWith("plan: 3 groups\nplan: "));
  EXPECT_THAT(groups.err, HasSubstr("plan: conv2d_1: conv2d of 2 nodes\n"));
  EXPECT_EQ(groups.out, steps.out);
}

// The constants have no bytes, but kernels are given an address of each.
TEST(FritProgram, BuildsAndRunsModelsWhoseConstantsAreAllEmpty) {
  ModelBuilder concat;
  concat.input("x", {2, 3}).constant("none", {0, 3}, {});
  concat.node("Concat", {"none", "x"}, {"y"}, {{"axis", 0}}).output("y");
  ModelBuilder product;
  product.input("x", {2, 0}).constant("none", {0, 3}, {});
  product.node("MatMul", {"x", "none"}, {"y"}).output("y");
  ModelBuilder conv;
  conv.input("x", {1, 0, 2, 3}).constant("none", {1, 0, 1, 1}, {});
  conv.node("Conv", {"x", "none"}, {"y"}).output("y");
  const std::string input = scratch("six.npy");
  ASSERT_TRUE(write_npy(input, Tensor::f32({2, 3}, {1, 2, 3, 4, 5, 6})));
  struct Case {
    const ModelBuilder* model;
    std::string options;
    Tensor y;
  };
  for (const Case& one :
       {Case{&concat, "--input x=" + input, Tensor::f32({2, 3}, {1, 2, 3, 4, 5, 6})},
        Case{&product, "", Tensor::f32({2, 3}, {0, 0, 0, 0, 0, 0})},
        Case{&conv, "", Tensor::f32({1, 1, 2, 3}, {0, 0, 0, 0, 0, 0})}}) {
    const std::string model = scratch("empty.onnx"), output = scratch("empty_y.npy");
    std::ofstream(model, std::ios::binary) << one.model->bytes();
    const Outcome run = frit("run " + model + " " + one.options + " --output y=" + output);
    ASSERT_EQ(run.code, 0) << run.err;
    const auto y = read_npy(output);
    ASSERT_TRUE(y);
    EXPECT_EQ(y->type(), one.y.type());
    EXPECT_TRUE(std::ranges::equal(y->bytes(), one.y.bytes()));
    for (const char* weights : {"inline", "external"}) {
      const Outcome built =
          frit(fmt::format("build {} --weights {} -o {}", model, weights, scratch("empty")));
      EXPECT_EQ(built.code, 0) << built.err;
    }
  }
}

TEST(FritProgram, CountsTheBorderOfATensorAgainstItsLimit) {
  ModelBuilder m;
  m.input("x", {1, 1, 8, 8}).weights("w", {1, 1, 3, 3});
  m.node("Conv", {"x", "w"}, {"y"},
         {{"dilations", Ints{100000, 100000}}, {"pads", Ints{100000, 100000, 100000, 100000}}},
         "wide");
  const std::string model = scratch("wide.onnx");
  std::ofstream(model, std::ios::binary) << m.output("y").bytes();
  const Outcome outcome = frit("plan " + model);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(
      outcome.err,
      HasSubstr("Conv 'wide': its input 0 is f32[1,1,8,8] and with the border that it reads "
                "[1,1,200008,200008], but a tensor may hold at most 2147483647 elements; "
                "correct the attributes or pass a smaller --shape [onnx-too-large]"));
}

TEST(FritProgram, PrintsFaultsAsOneJsonDocument) {
  const Outcome outcome = frit("plan no_such_file.onnx --json");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.err, "");
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document.at("schema"), "frit.error/1");
  EXPECT_EQ(document.at("exit_code"), 3);
  EXPECT_EQ(document.at("diagnostics").at(0).at("code"), "onnx-read");
}

// Whatever is printed: lost output is no success.
TEST(FritProgram, SaysWhenStandardOutputCannotBeWrittenWith5) {
  const std::string model = small_model() + kShape;
  for (const std::string& arguments :
       {"plan " + model, "plan --json " + model, "explain " + model, "show graph " + model,
        "run " + model, "verify " + model,
        std::string("check " FRIT_SOURCE_DIR "/README.md --json"),
        "build " + model + "-o " + scratch("full"), std::string("doctor"), std::string("ops"),
        std::string("help exit-codes"), std::string("--version"), std::string("plan --help")}) {
    const Outcome outcome = frit(arguments + " > /dev/full");
    const int wanted = arguments.starts_with("check") ? 3 : 5;  // a refusal stays one
    EXPECT_EQ(outcome.code, wanted) << arguments << "\n" << outcome.err;
    EXPECT_THAT(outcome.err,
                HasSubstr("error: cannot write standard output: No space left on device; free some "
                          "space or write elsewhere [run-output]"))
        << arguments;
  }
  EXPECT_EQ(frit("ops >&-").code, 5);
  EXPECT_EQ(frit("plan " + model + " -o " + scratch("plan") + " >&-").code, 0);
}

// A closed stream's number must not go to a pipe of the compiler's.
TEST(FritProgram, CompilesWithStandardStreamsClosed) {
  const std::string build = "build " + small_model() + kShape + "--name small --json -o ";
  const std::string answer = scratch(fmt::format("closed_{}.json", ::getpid()));
  struct Case {
    std::string closed;
    int code;  // 5: nobody gets the answer
  };
  int number = 0;
  for (const auto& [closed, code] : {Case{"0<&- 2>&- > " + answer, 0}, Case{"2>&- > " + answer, 0},
                                     Case{"0<&- >&-", 5}, Case{"0<&- >&- 2>&-", 5}}) {
    const std::string out = scratch(fmt::format("closed_{}_{}", ::getpid(), number++));
    // A cache of its own, so that kernels are compiled; in '()', for frit() redirects 2 again.
    const Outcome outcome =
        frit("--version > /dev/null; (FRIT_CACHE_DIR=" + out +
             "/cache " FRIT_BINARY_DIR "/apps/frit " + build + out + " " + closed + ")");
    EXPECT_EQ(outcome.code, code) << closed;
    EXPECT_TRUE(std::filesystem::exists(out + "/small.h")) << closed;
    if (code == 0) {
      EXPECT_EQ(nlohmann::json::parse(text_of(answer)).at("schema"), "frit.build/1") << closed;
    }
    std::filesystem::remove_all(out);
  }
  std::filesystem::remove(answer);
}

TEST(FritProgram, SaysWhatCannotBeWrittenWith5) {
  const std::string build = "build " + small_model() + kShape + "-o ";
  const Outcome package = frit(build + "/proc/frit");
  EXPECT_EQ(package.code, 5);
  EXPECT_THAT(package.err, HasSubstr("[package-write]"));
  const Outcome cache =
      frit("--version > /dev/null; FRIT_CACHE_DIR=/proc/frit " FRIT_BINARY_DIR "/apps/frit " +
           build + scratch("uncached"));
  EXPECT_EQ(cache.code, 5);
}

TEST(FritProgram, FmtPrintsChecksAndWritesTheNormalForm) {
  const std::string file = scratch(fmt::format("fmt_{}.sched", ::getpid()));
  const std::string given = "schedule 1\nfor pool # windows\nout.vectorize( x,8 )\n";
  const std::string normal = "schedule 1\nfor pool  # windows\nout.vectorize(x, 8)\n";
  std::ofstream(file) << given;
  const Outcome printed = frit("fmt " + file);
  EXPECT_EQ(printed.code, 0);
  EXPECT_EQ(printed.out, normal);
  const Outcome checked = frit("fmt --check " + file);
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.out, HasSubstr(file + ":2: not in normal form"));
  EXPECT_EQ(text_of(file), given);
  EXPECT_EQ(frit("fmt -i " + file).code, 0);
  EXPECT_EQ(text_of(file), normal);
  EXPECT_EQ(frit("fmt --check " + file).code, 0);
  EXPECT_EQ(nlohmann::json::parse(frit("--json fmt " + file).out).at("normal"), true);
  EXPECT_EQ(frit("fmt -i --check " + file).code, 2);
  std::ofstream(file) << "schedule 1\nfor pool\nout.vectorize(\n";
  const Outcome broken = frit("fmt -i " + file);
  EXPECT_EQ(broken.code, 3);
  EXPECT_THAT(broken.err, HasSubstr(file + ":3:"));
  std::filesystem::remove(file);
}

TEST(FritProgram, OpsTellsWhatIsKnownOfAnOperator) {
  const std::string text = frit("ops LeakyRelu").out;
  EXPECT_THAT(text, HasSubstr("x[i] < 0 ?"));
  for (const char* line :
       {"  in ONNX     defined anew at opset 1, 6, 16\n",
        "  input       X: bfloat16 double float float16\n", "  attribute   alpha float\n",
        "  reference   yes\n", "    test_leakyrelu_default_expanded\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  const auto json = nlohmann::json::parse(frit("--json ops frit::Conv").out);
  EXPECT_TRUE(json.at("operators").at(0).at("onnx").is_null());
  EXPECT_NE(json.at("operators").at(0).at("formula"), "");
  for (const auto& [name, next] : {std::pair{"Convv", "did you mean 'Conv'? frit ops lists all"},
                                   std::pair{"Nothing", "frit ops lists all"}}) {
    const Outcome outcome = frit(std::string("ops ") + name);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(outcome.err,
              fmt::format("error: there is no operator '{}'; {} [cli-operator]\n", name, next));
  }
}

// U+202E, which turns what follows in an editor, and ESC.
TEST(FritProgram, NamesOfAModelReachNoTerminalAndNoFileRaw) {
  const std::string turn = "\u202e", name = "x" + turn + "\x1b";
  const std::string path = scratch(fmt::format("turn{}_{}.onnx", turn, ::getpid()));
  const std::string out = scratch(fmt::format("turned_{}", ::getpid()));
  ModelBuilder m;
  m.input(name, {2, 3}).node("Relu", {name}, {"y" + turn}, {}, "r" + turn).output("y" + turn);
  std::ofstream(path, std::ios::binary) << m.bytes();
  for (const char* command :
       {"build -o ", "--json build -o ", "run ", "--json run ", "plan ", "--json plan ", "explain ",
        "show graph ", "show memory ", "show schedule ", "show stmt ", "-vv plan ",
        "run --input nope=zero ", "plan --shape nope:2 "}) {
    const std::string words = command;
    const Outcome outcome =
        frit(words + (words.ends_with("-o ") ? out + " " : "") + "'" + path + "'");
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr(turn))) << command;
    EXPECT_THAT(outcome.out + outcome.err, Not(HasSubstr("\x1b"))) << command;
    EXPECT_NE(outcome.out + outcome.err, "") << command;
  }
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out)) {
    EXPECT_THAT(entry.path().string(), Not(HasSubstr(turn)));
    if (!entry.is_regular_file() || entry.path().extension() == ".a") continue;
    EXPECT_THAT(text_of(entry.path()), Not(HasSubstr(turn))) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 4);
  const std::string plan = scratch(fmt::format("turned_{}.plan", ::getpid()));
  EXPECT_EQ(frit("plan -o " + plan + " '" + path + "'").code, 0);
  EXPECT_THAT(text_of(plan), Not(HasSubstr(turn)));
  EXPECT_EQ(frit("plan --plan " + plan + " '" + path + "'").code, 0);  // and reads back
  std::filesystem::remove_all(out);
  std::filesystem::remove(path);
}

TEST(FritProgram, LeavesTheOldPlanWhenTheNewOneCannotBeWritten) {
  const std::string out = scratch(fmt::format("old_{}.plan", ::getpid()));
  std::ofstream(out) << "old";
  const Outcome outcome =
      frit("--version > /dev/null; ulimit -f 0; " FRIT_BINARY_DIR "/apps/frit plan " +
           small_model() + kShape + "-o " + out);
  EXPECT_EQ(outcome.code, 5);
  EXPECT_EQ(text_of(out), "old");
}

std::string saved(const ModelBuilder& model, const std::string& name) {
  const std::string path = scratch(fmt::format("{}_{}.onnx", name, ::getpid()));
  std::ofstream(path, std::ios::binary) << model.bytes();
  return path;
}

// A file is input: whichever it is and whatever is wrong with it, 3.
TEST(FritProgram, RefusesFilesThatAreNotThereWith3) {
  const std::string model = small_model() + kShape;
  const std::string good = FRIT_SOURCE_DIR "/schedules/library/elementwise.sched";
  for (const std::string& arguments :
       {std::string("plan no_such.onnx"), "plan " + model + "--plan no_such.plan",
        "plan " + model + "--expect no_such.plan", "plan " + model + "--schedules no_such_folder",
        "plan " + model + "--schedules " + scratch("") + "..",
        "plan " + model + "--const x=no_such.npy", "run " + model + "--input x=no_such.npy",
        std::string("check no_such.sched"), "check " + good + " --model no_such.onnx --group g",
        std::string("bench no_such_folder"), std::string("check " FRIT_SOURCE_DIR)}) {
    const Outcome outcome = frit(arguments);
    EXPECT_EQ(outcome.code, 3) << arguments << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("; ")) << arguments;
  }
}

TEST(FritProgram, RefusesToRunWhatCannotFitThisMachineWith3) {
  ModelBuilder m(13);
  m.input("x", {1 << 15, 1 << 15});
  std::string last = "x";
  for (int i = 0; i < 64; ++i) {  // 4 GB each
    const std::string next = "y" + std::to_string(i);
    m.node("Relu", {last}, {next}).output(next);
    last = next;
  }
  const std::string path = saved(m, "huge");
  for (const char* command : {"run ", "verify "}) {
    const Outcome outcome = frit(command + path);
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("pass a smaller --shape"));
    EXPECT_THAT(outcome.err, HasSubstr("[input-memory]"));
  }
}

TEST(FritProgram, VerifiesADivisionOfIntegers) {
  ModelBuilder m(13);
  m.input("a", {40}, onnx::TensorProto::INT32).input("b", {40}, onnx::TensorProto::INT32);
  m.node("Div", {"a", "b"}, {"y"}).output("y");
  const Outcome outcome = frit("verify " + saved(m, "division"));
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
}

// The model's names, though the output needs a buffer of its own.
TEST(FritProgram, AnInputThatIsAnOutputKeepsItsName) {
  ModelBuilder m(13);
  m.input("x", {2, 3}).node("Relu", {"x"}, {"y"}).output("x").output("y");
  const std::string path = saved(m, "through"), folder = scratch("through"), npy = scratch("x.npy");
  const Outcome ran = frit("run " + path + " --json --output x=" + npy);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto outputs = nlohmann::json::parse(ran.out).at("outputs");
  EXPECT_EQ(outputs.at(0).at("name"), "x");
  EXPECT_EQ(outputs.at(1).at("name"), "y");
  EXPECT_TRUE(read_npy(npy));
  const Outcome built = frit("build " + path + " --name through -o " + folder);
  ASSERT_EQ(built.code, 0) << built.err;
  const auto report = nlohmann::json::parse(text_of(folder + "/through.report.json"));
  EXPECT_EQ(report.at("outputs").at(0).at("name"), "x");
  EXPECT_EQ(report.at("outputs").at(0).at("c_name"), "x_2");
}

TEST(FritProgram, RefusesAModelWithOpenDimsWith3AndNamesThem) {
  const Outcome outcome = frit("build " + small_model() + " -o " + scratch("never"));
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("--shape"));
  EXPECT_FALSE(std::filesystem::exists(scratch("never")));
}

TEST(FritProgram, BuildsAPackage) {
  const std::string folder = scratch("package");
  const Outcome outcome = frit("build " + small_model() + kShape + "--name small --json -o " +
                               folder + " --emit plan,schedule,asm");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document.at("c_name"), "small");
  for (const char* file : {"libsmall.a", "small.h", "small.report.json"}) {
    EXPECT_TRUE(std::filesystem::exists(folder + "/" + file)) << file;
  }
  EXPECT_FALSE(std::filesystem::is_empty(folder + "/asm"));
  const std::string apart = scratch("apart");
  const Outcome external = frit("build " + small_model() + kShape +
                                "--name small --json --weights external -o " + apart);
  ASSERT_EQ(external.code, 0) << external.err;
  const auto files = nlohmann::json::parse(external.out).at("files");
  EXPECT_EQ(files.at("weights"), apart + "/small.weights");
  // Timed in turns: bench refuses packages of one model that disagree.
  const Outcome timed = frit("bench --runs 3 --min-time 0 --json " + folder + " " + apart);
  ASSERT_EQ(timed.code, 0) << timed.err;
  const auto runs = nlohmann::json::parse(timed.out).at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(1).at("samples_ns").size(), 3U);
}

TEST(FritProgram, BuildsAndTimesCpuLevels) {
  const std::string folder = scratch("levels");
  const std::string build = "build " + small_model() + kShape + "--name small -o " + folder;
  const Outcome made = frit(build + " --cpu-levels avx2,baseline");
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string bench = "bench --runs 3 --min-time 0 --json " + folder + "@baseline ";
  const Outcome timed = frit(bench + folder + "@avx2");
  ASSERT_EQ(timed.code, 0) << timed.err;
  const auto runs = nlohmann::json::parse(timed.out).at("runs");
  EXPECT_EQ(runs.at(0).at("cpu_level"), "baseline");
  EXPECT_EQ(runs.at(1).at("cpu_level"), "avx2");
  const Outcome unknown = frit(bench + folder + "@avx512");
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.out + unknown.err,
              HasSubstr("has no CPU level 'avx512' but baseline, avx2; name one of these"));
  const Outcome both = frit(build + " --target x86 --cpu-levels avx2");
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, HasSubstr("leave one of them out"));
  const Outcome verified =
      frit("verify " + small_model() + kShape + "--cpu-levels baseline,avx2 --groups");
  EXPECT_EQ(verified.code, 0) << verified.out;
  EXPECT_THAT(verified.out, HasSubstr("fusion greedy, CPU level avx2\n"));
  EXPECT_THAT(verified.out, HasSubstr("fusion greedy, CPU level baseline\n"));
}

TEST(FritProgram, RunsAndDumpsAnIntermediate) {
  const std::string y = scratch("y.npy"), c = scratch("c.npy");
  const Outcome outcome = frit("run " + small_model() + kShape +
                               "--input x=random:3 --output y=" + y + " --dump c=" + c);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto output = read_npy(y), intermediate = read_npy(c);
  ASSERT_TRUE(output && intermediate);
  const auto relu = output->data<float>(), conv = intermediate->data<float>();
  for (std::size_t i = 0; i < relu.size(); ++i) {
    EXPECT_FLOAT_EQ(relu[i], conv[i] < 0 ? 0.0F : conv[i]);
  }
  EXPECT_EQ(frit("run " + small_model() + kShape + "--input z=zero").code, 3);
  EXPECT_EQ(frit("run " + small_model() + kShape + "--dump nothing=" + c).code, 3);
}

TEST(FritProgram, VerifiesWithAndWithoutFusion) {
  const Outcome outcome = frit("verify " + small_model() + kShape + "--groups --fusions");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified"));
}

TEST(FritProgram, PlanIsExpectedOrTheAnswerIsNo) {
  const std::string file = scratch("plan.txt");
  ASSERT_EQ(frit("plan " + small_model() + kShape + "-o " + file).code, 0);
  EXPECT_EQ(frit("plan " + small_model() + kShape + "--expect " + file).code, 0);
  const Outcome other = frit("plan " + small_model() + kShape + "--fusion none --expect " + file);
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("plan-missed"));
  // The pinned plan is taken, whatever the options would make.
  const Outcome pinned =
      frit("plan " + small_model() + kShape + "--fusion none --plan " + file + " --expect " + file);
  EXPECT_EQ(pinned.code, 0) << pinned.err;
}

TEST(FritProgram, ExplainsAPair) {
  const Outcome outcome = frit("explain " + small_model() + kShape + "conv1,relu1");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("fused"));
  EXPECT_EQ(frit("explain " + small_model() + kShape + "conv1,nobody").code, 3);
}

TEST(FritProgram, ShowsEveryStageOfTheWay) {
  for (const char* what :
       {"graph", "passes", "stages", "schedule", "nest", "stmt", "asm", "memory", "ops"}) {
    const Outcome outcome = frit(fmt::format("show {} {}{}", what, small_model(), kShape));
    EXPECT_EQ(outcome.code, 0) << what << outcome.err;
    EXPECT_GT(outcome.out.size(), 10U) << what;
  }
  EXPECT_EQ(frit("show metadata " + small_model() + " labels").out, "one\ntwo\n");
  EXPECT_EQ(frit("show metadata " + small_model() + " colours").code, 3);
  EXPECT_EQ(frit("show nest " + small_model() + kShape + "--group nobody").code, 3);
}

TEST(FritProgram, ChecksASchedule) {
  const std::string file = scratch("bad.sched");
  std::ofstream(file) << "schedule 1\nfor conv2d\nout.vectorize(\n";
  const Outcome outcome = frit("check " + file + " --json");
  EXPECT_EQ(outcome.code, 3);
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_FALSE(document.at("ok").get<bool>());
  EXPECT_EQ(document.at("diagnostics").at(0).at("line"), 3);
  const auto sarif = nlohmann::json::parse(frit("check " + file + " --format sarif").out);
  EXPECT_EQ(sarif.at("version"), "2.1.0");
}

TEST(FritProgram, HelpsOnEveryTopic) {
  for (const char* topic : {"schedule", "targets", "files", "exit-codes", "numerics"}) {
    EXPECT_EQ(frit(fmt::format("help {}", topic)).code, 0) << topic;
  }
  EXPECT_EQ(frit("help nothing").code, 2);
  EXPECT_EQ(nlohmann::json::parse(frit("doctor --json").out).at("schema"), "frit.doctor/1");
}

}  // namespace
}  // namespace frit

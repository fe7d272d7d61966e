// Packages with their weights in a file (`--weights external`).
#include "generators/package/weights_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "generators/package/loaded_package.h"
#include "tests/generators/package/hand_made_testing.h"

namespace frit {
namespace {

using ::testing::HasSubstr;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class ExternalWeights : public ::testing::Test {
 protected:
  PackageOptions options_in(const std::string& folder) const {
    PackageOptions options;
    options.name = "hand_made";
    options.out_dir = folder_.path() + "/" + folder;
    options.target = Halide::get_host_target();
    options.weights = Weights::kExternal;
    return options;
  }

  PackageFiles write(const PackageOptions& options) const {
    const Result<PackageFiles> files =
        write_package(model_.graph, model_.plan, model_.compiled, options);
    if (files) return *files;
    ADD_FAILURE() << to_text(files.error());
    return {};
  }

  /// The hand-made model with another weight.
  PackageFiles write_other(const std::string& folder) {
    HandMade other = hand_made_model(folder_.path());
    const Tensor old = other.compiled.constants.at(0).data;
    std::vector<float> values(old.data<float>().begin(), old.data<float>().end());
    values.at(0) += 1.0F;
    other.compiled.constants[0].data = Tensor::f32(old.dims(), values);
    std::swap(model_, other);
    const PackageFiles files = write(options_in(folder));
    std::swap(model_, other);
    return files;
  }

  TestFolder folder_;
  HandMade model_ = hand_made_model(folder_.path());
};

TEST_F(ExternalWeights, EveryBrokenFileIsAnErrorOfInit) {
  const PackageFiles files = write(options_in("p"));
  const PackageFiles other = write_other("other");
  const std::string out = folder_.path() + "/p";
  const ShellResult ran =
      shell("cd '" + out + "' && cc -std=c11 -Wall -Wextra -Werror -pedantic -O1 " +
            "'-DM(x)=hand_made_##x' '-DHEADER=\"hand_made.h\"' "
            "'-DMAP_HEADER=\"hand_made_weights.h\"' -DIN_FLOATS=144 -DOUT_FLOATS=288 "
            "'-DSET_IO(io,in,out)=io.x=in;io.y=out;io.c=out+144' -I. -o use " FRIT_SOURCE_DIR
            "/tests/generators/package/use_weights.c libhand_made.a -lm && ./use '" +
            files.weights + "' '" + other.weights + "' 1");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_EQ(ran.output, "all as it should be\n");
}

TEST_F(ExternalWeights, LeaveTheArchiveAndNeedNoFurtherSymbol) {
  const PackageFiles files = write(options_in("p"));
  PackageOptions inline_options = options_in("inline");
  inline_options.weights = Weights::kInline;
  const PackageFiles within = write(inline_options);
  EXPECT_TRUE(within.weights.empty());
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/inline/hand_made.weights"));
  EXPECT_EQ(shell("nm -u '" + files.archive + "' | sed -n 's/^ *U //p' | sort").output,
            "memcpy\nmemset\n");
  EXPECT_THAT(shell("nm '" + within.archive + "'").output, HasSubstr("frit_weights\n"));
  const std::string file = read_file(files.weights);
  EXPECT_EQ(file.size(), 128U);
  EXPECT_EQ(file.substr(0, 8), "frit.wts");
  const std::span<const std::byte> weight = model_.compiled.constants[0].data.bytes();
  EXPECT_EQ(file.substr(64, weight.size()),
            std::string(reinterpret_cast<const char*>(weight.data()), weight.size()));
}

TEST_F(ExternalWeights, AreOneFileForPackagesThatDifferInCodeAlone) {
  PackageOptions two_threads = options_in("two");
  two_threads.threads = 2;
  two_threads.name = "another name";
  const std::string file = read_file(write(options_in("one")).weights);
  EXPECT_EQ(file, read_file(write(two_threads).weights));
  EXPECT_NE(file, read_file(write_other("other").weights));
}

TEST_F(ExternalWeights, AreToldByHeaderReportAndPackageFiles) {
  const PackageFiles files = write(options_in("p"));
  EXPECT_THAT(read_file(files.header), HasSubstr("#define hand_made_WEIGHTS_BYTES 128\n"));
  const nlohmann::json report = nlohmann::json::parse(read_file(files.report));
  EXPECT_EQ(report["weights"]["kind"], "external");
  EXPECT_EQ(report["weights"]["file"], "hand_made.weights");
  EXPECT_EQ(report["weights"]["bytes"], 128);
  EXPECT_EQ(report["weights"]["identity"].get<std::string>().size(), 32U);
  EXPECT_THAT(read_file(files.cmake), HasSubstr("set(hand_made_WEIGHTS "));
  EXPECT_THAT(read_file(files.pkg_config), HasSubstr("\nweights=${pcfiledir}/hand_made.weights\n"));
  PackageOptions options = options_in("inline");
  options.weights = Weights::kInline;
  const PackageFiles within = write(options);
  EXPECT_EQ(nlohmann::json::parse(read_file(within.report))["weights"]["kind"], "inline");
}

// An archive with the weights of another build does not run.
TEST_F(ExternalWeights, AreNotParted) {
  const PackageFiles files = write(options_in("p"));
  std::map<std::string, std::string> before;
  const std::string out = folder_.path() + "/p";
  std::filesystem::remove(files.weights);
  std::filesystem::create_directory(files.weights);
  for (const auto& entry : std::filesystem::directory_iterator(out)) {
    if (entry.is_regular_file()) before[entry.path()] = read_file(entry.path());
  }
  PackageOptions options = options_in("p");
  options.threads = 2;  // other bytes everywhere
  const auto failed = write_package(model_.graph, model_.plan, model_.compiled, options);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, "package-write");
  EXPECT_THAT(failed.error().message,
              HasSubstr("cannot write '" + files.weights + "': Is a directory"));
  std::map<std::string, std::string> after;
  for (const auto& entry : std::filesystem::directory_iterator(out)) {
    if (entry.is_regular_file()) after[entry.path()] = read_file(entry.path());
  }
  EXPECT_EQ(before, after);
  EXPECT_GE(after.size(), 6U);
}

TEST_F(ExternalWeights, HeadersCompileAsC99AndCxx) {
  write(options_in("p"));
  const std::string out = folder_.path() + "/p";
  std::ofstream(out + "/map.c") << R"(
#include <errno.h>
#include <stdio.h>

#include "hand_made_weights.h"
int main(int count, char** arguments) {
  hand_made_options options = {0};
  if (hand_made_map_weights(&options, "no.weights") == 0 || errno != ENOENT) return 2;
  if (hand_made_map_weights(&options, ".") == 0 || errno != ENODEV) return 3;
  const int empty = hand_made_map_weights(&options, "empty.weights");
  if (empty == 0 || options.weights != 0) return 4;
  puts(hand_made_error_text(empty));
  int code = hand_made_map_weights(&options, arguments[count - 1]);
  if (code == 0) hand_made_unmap_weights(&options);
  return code != 0 || options.weights != 0;
}
)";
  for (const char* compiler :
       {"cc -std=c99", "c++ -x c++ -std=c++20 -Wno-missing-field-initializers"}) {
    const ShellResult ran = shell("cd '" + out + "' && " + compiler +
                                  " -Wall -Wextra -Werror -pedantic map.c -x none libhand_made.a -lm -o map && : > "
                                  "empty.weights && ./map hand_made.weights");
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_EQ(ran.output,
              "the weights are fewer bytes than this package's weights file has; is the file empty "
              "or cut off? copy it again\n");
  }
}

TEST_F(ExternalWeights, AreMappedByTheLoaderWhichNamesABrokenFile) {
  const auto object =
      write_shared_object(model_.graph, model_.plan, model_.compiled, options_in("so"));
  ASSERT_TRUE(object) << to_text(object.error());
  std::vector<float> x(144);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 5 + 3) % 17) - 8.0F;
  {
    auto loaded = LoadedPackage::load(*object, model_.graph, 1);
    ASSERT_TRUE(loaded) << to_text(loaded.error());
    const auto outputs = loaded->run({Tensor::f32({1, 3, 6, 8}, x)});
    ASSERT_TRUE(outputs) << to_text(outputs.error());
    const auto scaled = (*outputs)[1].data<float>();
    EXPECT_EQ(std::vector<float>(scaled.begin(), scaled.end()), hand_made_result(x).scaled);
  }
  std::filesystem::resize_file(object->weights, 100);
  EXPECT_THAT(to_text(LoadedPackage::load(*object, model_.graph, 1).error()),
              HasSubstr("is the file empty or cut off?"));
  std::filesystem::remove(object->weights);
  EXPECT_EQ(LoadedPackage::load(*object, model_.graph, 1).error().code, "package-read");
}

}  // namespace
}  // namespace frit

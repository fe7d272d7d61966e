// Every diagnostic of schedules: a text in error/ and its exact expected words beside it.
//
// A text may say `# pipeline blur` or `# pipeline readers` (else: product of 9 rows, 31 columns,
// depth 13) and `# chosen NAME VALUE`. FRIT_RENEW_GOLDENS=1 in the environment rewrites the
// expected files, to be reviewed as a diff.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "schedules/check.h"
#include "tests/schedules/small_pipelines.h"

namespace frit::testing {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// pre_0 is read by epi_0, and by out.
Composer two_readers() {
  return [] {
    auto p = std::make_unique<SmallPipeline>();
    auto in = p->input("in_0", {31, 9});
    const Halide::Var y("y"), x("x");
    Stage& pre = p->add("pre_0", {"y", "x"}, {9, 31});
    pre() = in(x, y) * 3.0F;
    Stage& epi = p->add("epi_0", {"y", "x"}, {9, 31});
    epi() = pre() + 1.0F;
    Stage& out = p->add("out", {"y", "x"}, {9, 31});
    out() = epi() * pre();
    p->finish("test", {{"x", 31}, {"y", 9}});
    return p;
  };
}

CheckGroup group_for(const std::string& text) {
  CheckGroup group;
  const Composer composer = text.find("# pipeline blur") != std::string::npos ? blur(9, 31)
                            : text.find("# pipeline readers") != std::string::npos
                                ? two_readers()
                                : product(9, 31, 13);
  group.anchor = "test";
  group.target = Halide::Target("x86-64-linux-sse41-avx-f16c-fma-avx2");
  group.facts = composer()->view.facts;
  group.compose =
      [composer](const std::vector<PackSpec>&) -> Result<std::shared_ptr<PipelineView>> {
    const std::shared_ptr<SmallPipeline> made = composer();
    return std::shared_ptr<PipelineView>(made, &made->view);
  };
  std::istringstream lines(text);
  std::string line, hash, word, name;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::int64_t value = 0;
    if (words >> hash >> word >> name >> value && hash == "#" && word == "chosen") {
      group.chosen[name] = value;
    }
  }
  return group;
}

// Halide numbers its Funcs: "acc$17" says no more than "acc" and differs from run to run.
std::string without_numbers(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 >= text.size() || std::isdigit(text[i + 1]) == 0) {
      plain += text[i];
      continue;
    }
    while (i + 1 < text.size() && std::isdigit(text[i + 1]) != 0) ++i;
  }
  return plain;
}

std::string words_for(const fs::path& path) {
  const std::string text = read(path);
  const CheckGroup group = group_for(text);
  const CheckReport report =
      check_schedule(text, path.filename().string(), CheckDepth::kLower, &group);
  std::string words;
  for (const Diagnostic& fault : report.diagnostics) words += to_text(fault) + "\n";
  return without_numbers(words);
}

std::vector<fs::path> error_texts() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(FRIT_SOURCE_DIR "/tests/schedules/error")) {
    if (entry.path().extension() == ".sched") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Errors, HaveTheirExactWords) {
  for (const fs::path& path : error_texts()) {
    SCOPED_TRACE(path.filename().string());
    const std::string words = words_for(path);
    fs::path expected = path;
    expected.replace_extension(".expected");
    if (std::getenv("FRIT_RENEW_GOLDENS") != nullptr) std::ofstream(expected) << words;
    EXPECT_NE(words, "");
    EXPECT_EQ(words, read(expected));
  }
}

TEST(Errors, EveryCodeHasAText) {
  std::string all;
  for (const fs::path& path : error_texts()) {
    all += read(path.parent_path() / (path.stem().string() + ".expected"));
  }
  for (const char* code : {"sched-syntax", "sched-name", "sched-arithmetic", "sched-param-value",
                           "sched-constraint", "sched-minimise", "sched-pack", "sched-stage",
                           "sched-loop", "sched-directive", "sched-arguments", "sched-compute-at",
                           "sched-tail", "sched-halide", "sched-bounds", "sched-not-applicable"}) {
    EXPECT_NE(all.find("[" + std::string(code) + "]"), std::string::npos) << code;
  }
}

TEST(Check, GoesAsDeepAsAsked) {
  const std::string text = "schedule 1\nfor test\nacc.compute_at(out, y)\nout.vectorize(x, 8)\n";
  const CheckGroup group = group_for(text);
  EXPECT_TRUE(check_schedule(text, "t", CheckDepth::kLower, nullptr).ok());
  const CheckReport parse = check_schedule(text, "t", CheckDepth::kParse, &group);
  EXPECT_TRUE(parse.ok());
  EXPECT_EQ(parse.nest, "");
  const CheckReport nest = check_schedule(text, "t", CheckDepth::kNest, &group);
  EXPECT_TRUE(nest.ok());
  EXPECT_THAT(nest.nest, ::testing::HasSubstr("vectorized"));
  const CheckReport lower = check_schedule(text, "t", CheckDepth::kLower, &group);
  EXPECT_TRUE(lower.ok());
  EXPECT_TRUE(lower.diagnostics.empty());
  EXPECT_EQ(check_depth_named("nest"), CheckDepth::kNest);
  EXPECT_FALSE(check_depth_named("deep").has_value());
}

}  // namespace
}  // namespace frit::testing

// Packages with kernels for several CPU levels: one packing of the weights, every level right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "generators/emit/bind.h"
#include "generators/emit/target.h"
#include "generators/fusion/planner.h"
#include "generators/package/loaded_package.h"
#include "generators/verify/verify_model.h"
#include "runtime/cpu.h"
#include "tests/generators/package/hand_made_testing.h"
#include "tests/support/graph_builder.h"

namespace frit {
namespace {

using ::testing::HasSubstr;

// Blocks of one to five AVX-512 vectors, channels that fill no block, groups, a product.
Graph network() {
  GraphBuilder b;
  const ValueId x = b.input("x", {1, 3, 13, 17});
  const ValueId c1 = b.add("Relu", "relu1", {b.conv("c1", x, 16)});
  const ValueId c2 = b.add("Relu", "relu2", {b.conv("c2", c1, 80, 1)});
  const ValueId depth = b.conv("depth", c2, 80, 3, 1, 80);
  const ValueId c3 = b.conv("c3", depth, 20, 3);
  const ValueId c4 = b.conv("c4", c3, 64, 5, 2);
  const ValueId grouped = b.conv("grouped", c4, 64, 3, 1, 2);
  const ValueId c5 = b.conv("c5", grouped, 96, 1);
  b.output(b.add("Sigmoid", "gate", {c5}));
  b.output(b.add("ConvTranspose", "up", {c4, b.constant("w_up", {64, 20, 3, 3})},
                 {{"strides", std::vector<std::int64_t>{2, 2}}}));
  b.output(b.conv("deep", b.input("many", {1, 456, 3, 4}), 20));
  const ValueId row = b.input("row", {1, 1500});
  b.output(b.add("MatMul", "long", {row, b.constant("w_long", {1500, 100})}));
  const ValueId rows = b.input("rows", {9, 24});
  const ValueId wide = b.add("MatMul", "wide", {rows, b.constant("w_wide", {24, 88})});
  b.output(b.add("MatMul", "narrow", {wide, b.constant("w_narrow", {88, 12})}));
  return b.graph();
}

/// Compiled for all levels, or for `target` alone.
struct Compiled {
  Graph imported = network(), graph = imported;
  Plan plan;
  CompiledModel model;
  EmitOptions options;

  explicit Compiled(const std::string& cache, const std::string& target = "", int threads = 1) {
    insert_layouts(graph);
    plan = *make_plan(graph, {});
    if (target.empty()) {
      options.levels = *parse_cpu_levels({"avx512", "baseline", "avx2"}, false);
      options.target = options.levels.back().target;
    } else {
      options.target = *parse_target(target, false);
    }
    options.threads = threads;
    options.cache_folder = cache;
    auto compiled = emit_model(graph, plan, options);
    if (!compiled) {
      ADD_FAILURE() << to_text(compiled.error()[0]);
      return;
    }
    model = std::move(*compiled);
  }

  PackageOptions package_options(const std::string& folder) const {
    PackageOptions package;
    package.name = "net";
    package.out_dir = folder;
    package.target = options.target;
    package.threads = options.threads;
    return package;
  }
};

class CpuLevels : public ::testing::Test {
 protected:
  TestFolder folder_;
  std::string cache_ = folder_.path() + "/cache";
};

TEST_F(CpuLevels, AreAllRightInOneLibrary) {
  const Compiled net(cache_, "", 2);
  ASSERT_EQ(net.model.lower_levels.size(), 2U);
  const auto object = write_shared_object(net.graph, net.plan, net.model,
                                          net.package_options(folder_.path() + "/so"));
  ASSERT_TRUE(object) << to_text(object.error());
  for (int number = FRIT_CPU_BASELINE; number <= frit_cpu_level(); ++number) {
    const CompiledModel model =
        number == FRIT_CPU_AVX512 ? net.model
                                  : at_lower_level(net.model, static_cast<std::size_t>(number - 1));
    EXPECT_EQ(model.level.number, number);
    auto package = LoadedPackage::load(*object, net.graph, 2, number);
    ASSERT_TRUE(package) << to_text(package.error());
    VerifyOptions verify;
    verify.groups = true;
    verify.kinds = {DataKind::kRandom, DataKind::kSpecial};
    verify.run_whole = [&](const std::vector<Tensor>& values) { return package->run(values); };
    const auto verdict = verify_model(net.imported, net.graph, net.plan, model, verify);
    ASSERT_TRUE(verdict) << to_text(verdict.error());
    EXPECT_TRUE(verdict->passed()) << model.level.name << "\n" << to_text(*verdict, false);
  }
  const auto odd = LoadedPackage::load(*object, net.graph, 1, 9);
  ASSERT_FALSE(odd);
  EXPECT_THAT(to_text(odd.error()), HasSubstr("no level that this package was built for"));
}

TEST_F(CpuLevels, ShareTheWeightsThatTheHighestPacked) {
  const Compiled net(cache_), alone(cache_, "x86.avx512");
  ASSERT_EQ(net.model.constants.size(), alone.model.constants.size());
  for (std::size_t i = 0; i < alone.model.constants.size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(net.model.constants[i].data.bytes(),
                                   alone.model.constants[i].data.bytes()));
  }
  // The highest level's kernels are those of a package for it alone: the cache is shared.
  for (std::size_t k = 0; k < alone.model.kernels.size(); ++k) {
    EXPECT_EQ(net.model.kernels[k].symbol, alone.model.kernels[k].symbol);
    for (const CompiledModel::Level& lower : net.model.lower_levels) {
      const Kernel& kernel = lower.kernels[k];
      EXPECT_NE(kernel.symbol, alone.model.kernels[k].symbol);
      const bool has_schedule = net.model.kernels[k].schedule_name != "default";
      EXPECT_EQ(kernel.schedule_name != "default", has_schedule)
          << lower.level.name << " of " << kernel.symbol << " for "
          << net.model.kernels[k].schedule_name;
    }
  }
}

TEST_F(CpuLevels, PassOverSchedulesThatWouldPackOtherwise) {
  const Compiled net(cache_);
  const auto is_c2 = [&](const Group& group) {
    return std::ranges::any_of(group.nodes,
                               [&](NodeId id) { return net.graph.node(id).name == "c2"; });
  };
  const auto group = std::ranges::find_if(net.plan.groups, is_c2);
  ASSERT_NE(group, net.plan.groups.end());
  const auto highest = bind_schedule(net.graph, net.plan, *group, net.options);
  ASSERT_TRUE(highest);
  EXPECT_EQ(highest->name, "conv2d_direct.sched");
  EmitOptions options = net.options;
  const auto lower = [&] {
    return *bind_lower_schedule(net.graph, net.plan, *group, options, options.levels[1], *highest);
  };
  EXPECT_EQ(lower().name, "conv2d_lower.sched");
  EXPECT_EQ(lower().packs, highest->packs);
  EXPECT_EQ(lower().bound.at("packed_block"), highest->packs.at(0).dims.at(0).modulus);
  EXPECT_EQ(lower().bound.at("lanes"), 8);
  // A user's file that would pack otherwise is passed over.
  const std::string opening = "schedule 1\nfor conv2d\npack w (k % ";
  const std::string rest = ", rx, ry, c, k / ";
  options.user_schedules = {*parse_schedule(opening + "8" + rest + "8)\n", "other.sched")};
  EXPECT_EQ(lower().name, "conv2d_lower.sched");
  // One that asks for no pack takes the weights as they lie.
  options.user_schedules = {*parse_schedule("schedule 1\nfor conv2d\n", "any.sched")};
  EXPECT_EQ(lower().name, "any.sched");
}

TEST_F(CpuLevels, AreToldByHeaderReportAndCFunctions) {
  const Compiled net(cache_);
  const std::string out = folder_.path() + "/p";
  const auto files = write_package(net.graph, net.plan, net.model, net.package_options(out));
  ASSERT_TRUE(files) << to_text(files.error());
  std::ifstream stream(files->report);
  const auto report = nlohmann::json::parse(stream);
  ASSERT_EQ(report["cpu_levels"].size(), 3U);
  EXPECT_EQ(report["cpu_levels"][1]["name"], "avx2");
  EXPECT_EQ(report["groups"][0]["lower_levels"].size(), 2U);
  std::ofstream(out + "/use.c") << R"(
#include <stdio.h>
#include <stdlib.h>
#include "net.h"
int main(void) {
  static net_context context;
  net_options options = {0};
  const int levels[] = {0, net_CPU_BASELINE, net_CPU_AVX2, net_CPU_AVX512, 4, -1};
  printf("%d", net_cpu_level(&context));
  options.size = sizeof options;
  options.arena_bytes = net_arena_bytes(1);
  options.arena = aligned_alloc(64, options.arena_bytes);
  for (int i = 0; i < 6; ++i) {
    options.cpu_level = levels[i];
    const int code = net_init(&context, &options);
    printf(" %d:%d", code, net_cpu_level(&context));
    net_release(&context);
  }
  return 0;
}
)";
  const ShellResult ran = shell("cd '" + out + "' && cc -std=c11 -Wall -Wextra -Werror -pedantic " +
                                "use.c -o use -L. -lnet -lm && ./use && nm -u libnet.a");
  const int has = frit_cpu_level();
  std::string want = "0 0:" + std::to_string(has);
  for (int level = 1; level <= 3; ++level) {
    want += level <= has ? " 0:" + std::to_string(level) : " 22:0";
  }
  EXPECT_THAT(ran.output, ::testing::StartsWith(want + " 21:0 21:0\n")) << ran.output;
  EXPECT_THAT(ran.output, ::testing::Not(HasSubstr("cpu")));
}

TEST(CpuLevelNames, AreSortedOnceEachOrRefused) {
  const auto levels = parse_cpu_levels({"avx512", "baseline", "avx512"}, false);
  ASSERT_TRUE(levels);
  ASSERT_EQ(levels->size(), 2U);
  EXPECT_EQ((*levels)[0].name, "baseline");
  EXPECT_EQ(target_text((*levels)[0].target), "x86-64-linux-sse41");
  EXPECT_EQ((*levels)[1].number, FRIT_CPU_AVX512);
  const auto wrong = parse_cpu_levels({"avx"}, false);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(to_text(wrong.error()),
            "error: 'avx' is no CPU level; use a list of baseline, avx2 and avx512 [cpu-level]");
}

}  // namespace
}  // namespace frit

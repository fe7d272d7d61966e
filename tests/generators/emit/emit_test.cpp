#include "generators/emit/emit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "generators/emit/hash.h"
#include "generators/emit/target.h"
#include "generators/fusion/planner.h"
#include "tests/generators/package/hand_made_testing.h"
#include "tests/support/graph_builder.h"

namespace frit {
namespace {

TEST(Emit, ADamagedCacheEntryIsCompiledAgain) {
  const TestFolder folder;
  GraphBuilder b;
  b.output(b.add("Exp", "y", {b.input("x", {37})}));
  Graph graph = b.graph();
  insert_layouts(graph);
  const auto plan = make_plan(graph, {});
  ASSERT_TRUE(plan);
  EmitOptions options;
  options.target = *parse_target("host", false);
  options.cache_folder = folder.path();
  const auto first = emit_model(graph, *plan, options);
  ASSERT_TRUE(first);
  const std::string object = first->kernels.at(0).object_path;
  const std::string right = sha256_of_file(object);
  const std::string record = std::filesystem::path(object).replace_extension(".json");
  for (const std::string& damaged : {object, record}) {
    for (const char* content : {"", "spoilt"}) {
      std::ofstream(damaged, std::ios::trunc) << content;
      const auto again = emit_model(graph, *plan, options);
      ASSERT_TRUE(again) << damaged << content;
      EXPECT_EQ(sha256_of_file(object), right) << damaged << content;
    }
  }
}

TEST(Emit, ATargetThatNoKernelIsCompiledForIsRefusedAtOnce) {
  for (const char* name : {"riscv-64-linux", "wasm-32-wasmrt", "x86-64-windows", "nonsense"}) {
    const auto target = parse_target(name, false);
    ASSERT_FALSE(target) << name;
    EXPECT_EQ(target.error().code, "target-name");
  }
}

}  // namespace
}  // namespace frit

// Every directive: scheduled == unscheduled over odd sizes.
#include "schedules/directives.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "generators/emit/target.h"
#include "generators/emit/tool.h"
#include "schedules/apply.h"
#include "tests/schedules/small_pipelines.h"

namespace frit::testing {
namespace {

enum class Kind { kProduct, kBlur };

struct Case {
  const char* name;
  Kind kind;
  const char* text;
  float tolerance = 0;  // where the order of summation changes
};

// Texts for product(): acc[y,x] += in·w over r, then out; and for blur(): pre_0, epi_0, out.
constexpr Case kCases[] = {
    {"split", Kind::kProduct,
     "out.split(x, xo, xi, 8, GuardWithIf).split(y, yo, yi, 4, TailStrategy::GuardWithIf)\n"
     "out.reorder(xi, yi, xo, yo).vectorize(xi).unroll(yi)\n"
     "acc.compute_at(out, xo)"},
    {"tails", Kind::kProduct,
     "acc.compute_root().split(x, xo, xi, 4, PredicateStores).vectorize(xi)\n"
     "acc.update(0).split(x, xo, xi, 4, Predicate).vectorize(xi)\n"
     "out.split(x, xo, xi, 4, Predicate).vectorize(xi)"},
    {"auto", Kind::kProduct,
     "acc.compute_root().vectorize(x, 4).unroll(y, 2)\n"
     "out.vectorize(x, 8, Auto).unroll(y, 2).parallel(y, 2)"},
    {"updates", Kind::kProduct,
     "acc.compute_root()\n"
     "acc.split(x, xo, xi, 4, GuardWithIf).vectorize(xi)\n"
     "acc.update(0).split(r, ro, ri, 4).split(x, xo, xi, 2, GuardWithIf)\n"
     "acc.update(0).reorder(xi, ri, y, xo, ro).unroll(xi).unroll(ri)"},
    {"reused names", Kind::kProduct,
     "acc.compute_root()\n"
     "acc.update(0).split(r, r, ri, 4).split(ri, ri, rv, 2).reorder(x, rv, ri, y, r)\n"
     "out.split(x, x, xi, 4).rename(xi, v).unroll(v)"},
    {"fuse", Kind::kProduct,
     "acc.compute_root().fuse(x, y, both).parallel(both).serial(both)\n"
     "out.fuse(x, y, both).split(both, block, lane, 4).vectorize(lane).parallel(block)"},
    {"tile", Kind::kProduct,
     "out.tile(x, y, xo, yo, xi, yi, 4, 2, GuardWithIf).unroll(yi)\n"
     "acc.compute_at(out, xo).tile({x, y}, {xi, yi}, {4, 2}).unroll(xi)\n"
     "acc.update(0).tile({x, y}, {xo, yo}, {xi, yi}, {4, 2}, GuardWithIf)"},
    {"short tile", Kind::kProduct, "out.tile(x, y, xi, yi, 4, 2)\nacc.compute_at(out, x)"},
    {"dims", Kind::kProduct, "out.vectorize(dim0, 4)\nacc.compute_at(out, dim1)"},
    {"bounds", Kind::kProduct,
     "acc.compute_root().bound_extent(x, x).bound(y, 0, y)\n"
     "out.bound(x, 0, x)"},
    {"alignment", Kind::kBlur,
     "epi_0.compute_root().align_storage(x, 8).align_bounds(y, 1)\n"
     "pre_0.compute_at(epi_0, y).align_extent(x, 1).bound_storage(x, x + 2)"},
    {"offset alignment", Kind::kBlur, "epi_0.compute_root().align_bounds(x, 1, 0)"},
    {"storage order", Kind::kBlur,
     "epi_0.compute_root().reorder_storage(y, x).store_in(Heap)\n"
     "pre_0.compute_at(epi_0, x).store_in(MemoryType::Stack).reorder_storage(dim1, dim0)"},
    {"sliding", Kind::kBlur,
     "pre_0.compute_at(out, y).store_root().fold_storage(y, 2)\nepi_0.inline()"},
    {"store_at", Kind::kBlur,
     "epi_0.compute_at(out, y)\npre_0.store_at(out, y).compute_at(epi_0, x)"},
    {"hoisting", Kind::kBlur,
     "epi_0.compute_at(out, y).hoist_storage_root()\n"
     "pre_0.compute_at(epi_0, x).hoist_storage(out, y)"},
    {"inline", Kind::kBlur, "epi_0.compute_inline()\npre_0.compute_at(out, Var::outermost())"},
    {"compute_with", Kind::kBlur,
     "pre_0.compute_root()\nwrapped = pre_0.in(epi_0)\nwrapped.compute_root()\n"
     "epi_0.compute_root()"},
    {"clone_in", Kind::kBlur,
     "copy = pre_0.clone_in(epi_0)\ncopy.compute_root().vectorize(x, 4)\nepi_0.compute_root()"},
    {"global wrapper", Kind::kBlur, "copy = pre_0.in()\npre_0.compute_root()\ncopy.compute_root()"},
    {"atomic", Kind::kProduct,
     "acc.compute_root()\nacc.update(0).split(r, ro, ri, 4).atomic().vectorize(ri)", 1e-5F},
    {"races", Kind::kProduct,
     "acc.compute_root()\nacc.update(0).allow_race_conditions().reorder(x, y, r)"},
    {"associativity", Kind::kProduct, "acc.compute_root()\nacc.update(0).atomic(true).parallel(r)",
     1e-5F},
    {"rfactor", Kind::kProduct,
     "acc.compute_root()\nacc.update(0).split(r, ro, ri, 4)\n"
     "parts = acc.update(0).rfactor(ri, u)\n"
     "parts.compute_at(acc, x).vectorize(u)\n"
     "parts.update(0).reorder(u, ro).vectorize(u)",
     1e-5F},
    {"rfactor of a list", Kind::kProduct,
     "acc.compute_root()\nacc.update(0).split(r, ro, ri, 4)\n"
     "parts = acc.update(0).rfactor({{ro, u}, {ri, v}})\n"
     "parts.compute_root()",
     1e-5F},
    {"partition", Kind::kProduct,
     "out.split(x, xo, xi, 4, GuardWithIf).never_partition(xo, y).partition(xi, Partition::Never)\n"
     "acc.compute_at(out, y).never_partition_all()\n"
     "acc.update(0).partition(y, Auto)"},
    {"prefetch", Kind::kBlur,
     "pre_0.compute_root().prefetch(in_0, y, y, 1, Clamp)\n"
     "out.prefetch(pre_0, y, y, 2, PrefetchBoundStrategy::GuardWithIf)\n"
     "epi_0.compute_at(out, y).prefetch(pre_0, x, x)"},
    {"unscheduled", Kind::kProduct,
     "acc.compute_root().vectorize(x, 4)\nacc.update(0).unscheduled()"},
    {"wildcards", Kind::kBlur, "epi_*.compute_root().vectorize(x, 4)\npre_*.compute_root()"},
    {"optional", Kind::kBlur, "optional pad.compute_root()\noptional pre_0.compute_at(pad, x)"},
    {"everything left out", Kind::kProduct, "", 1e-5F},
    {"nothing but vectors", Kind::kBlur, "out.vectorize(x, 4)"},
};

constexpr const char* kRingBuffer =
    "epi_0.compute_at(out, y)\npre_0.compute_at(out, y).hoist_storage_root().ring_buffer(2)";

class EveryDirective : public ::testing::TestWithParam<Case> {};

TEST_P(EveryDirective, KeepsTheResult) {
  const Case& c = GetParam();
  for (const auto& [rows, columns] : {std::pair{1, 1}, {7, 9}, {8, 31}}) {
    SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(columns));
    expect_same(c.kind == Kind::kProduct ? product(rows, columns, 13) : blur(rows, columns), c.text,
                c.tolerance);
  }
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.name;
  for (char& c : name) {
    if (c == ' ') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Directives, EveryDirective, ::testing::ValuesIn(kCases), case_name);

// GPU schedules are lowered for CUDA and OpenCL; no device is needed for that.
constexpr const char* kGpuTexts[] = {
    "out.gpu_tile(x, y, bx, by, tx, ty, 8, 4, GuardWithIf)\nacc.compute_at(out, tx)",
    "out.gpu_tile(x, y, tx, ty, 8, 4)\nacc.compute_at(out, tx).store_in(Register)",
    "out.gpu_tile(x, bx, tx, 8).gpu_blocks(y)\nacc.compute_at(out, bx).store_in(GPUShared)\n"
    "acc.gpu_threads(x)\nacc.update(0).gpu_threads(x)",
    "out.split(x, bx, tx, 8, GuardWithIf).gpu(bx, tx)\nacc.compute_root().gpu_single_thread()\n"
    "acc.update(0).gpu_blocks(y).gpu_threads(x)",
    "out.split(x, bx, tx, 32, GuardWithIf).gpu_blocks(bx).gpu_lanes(tx)\nacc.compute_at(out, tx)",
    "",
};

TEST(GpuDirectives, LowerForCudaAndOpenCl) {
  for (const char* device : {"cuda", "opencl"}) {
    const Halide::Target target(std::string("x86-64-linux-") + device);
    for (const char* text : kGpuTexts) {
      SCOPED_TRACE(std::string(device) + ":\n" + text);
      if (std::string(text).find("lanes") != std::string::npos && *device == 'o') continue;
      auto pipeline = product(33, 65, 13)();
      const Schedule schedule = parsed(text);
      Facts facts = target_facts(target, 1);
      facts.insert(pipeline->view.facts.begin(), pipeline->view.facts.end());
      const Status status = *text == '\0' ? apply_default_schedule(pipeline->view, facts, target)
                                          : apply_schedule(schedule, pipeline->view, facts, target);
      ASSERT_TRUE(status.has_value()) << to_text(status.error());
      std::vector<Halide::Argument> arguments;
      for (const InputInfo& input : pipeline->view.inputs) arguments.push_back(input.param);
      EXPECT_NO_THROW(
          pipeline->stages.back().func.compile_to_module(arguments, "gpu_test", target));
    }
  }
}

TEST(Directives, EachOneIsInATest) {
  std::string all;
  for (const Case& c : kCases) all += std::string(c.text) + "\n";
  for (const char* text : kGpuTexts) all += std::string(text) + "\n";
  all +=
      ".compute_with(.ring_buffer(.always_partition(.always_partition_all(";  // in the tests below
  for (const DirectiveSpec& spec : all_directives()) {
    EXPECT_NE(all.find("." + std::string(spec.name) + "("), std::string::npos) << spec.name;
  }
}

// Two outputs of the same size in one nest.
Composer two_outputs(int rows, int columns) {
  return [=] {
    auto p = std::make_unique<SmallPipeline>();
    auto in = p->input("in_0", {columns, rows});
    const Halide::Var y("y"), x("x");
    Stage& left = p->add("left", {"y", "x"}, {rows, columns});
    left() = in(x, y) + 1.0F;
    Stage& right = p->add("right", {"y", "x"}, {rows, columns});
    right() = in(x, y) * 2.0F;
    Stage& out = p->add("out", {"y", "x"}, {rows, columns});
    out() = left({y, columns - 1 - x}) + right({y, x});
    p->finish("test", {{"x", columns}, {"y", rows}});
    return p;
  };
}

TEST(Directives, ComputeWithJoinsLoops) {
  for (const auto& [rows, columns] : {std::pair{1, 1}, {7, 9}, {8, 31}}) {
    expect_same(two_outputs(rows, columns),
                "left.compute_root()\nright.compute_root().compute_with(left, y, AlignStart)");
  }
}

TEST(Directives, AlwaysPartitionIsTakenAtItsWord) {
  const std::string split = "acc.compute_at(out, xo)\nout.split(x, xo, xi, 4, GuardWithIf)";
  expect_same(product(7, 9, 13), split + ".always_partition(xo)");

  EXPECT_TRUE(faults_of(blur(7, 9), "out.always_partition_all()").empty());
}

TEST(Directives, RingBuffersAlternate) {
  // Halide 21 fails with "Symbol not found" where the loop has one iteration.
  expect_same(blur(7, 9), kRingBuffer);
}

TEST(Directives, WhatIsNotOfferedSaysWhy) {
  for (const char* name : {"memoize", "async"}) {
    const auto faults = faults_of(blur(7, 9), fmt::format("pre_0.compute_root().{}()", name));
    ASSERT_EQ(faults.size(), 1U) << name;
    EXPECT_THAT(faults[0].message, ::testing::HasSubstr(fmt::format("'{}' is not offered", name)));
  }
}

// A package brings a runtime of its own: nothing of Halide's may be needed besides.
class DirectivesInPackages : public ::testing::TestWithParam<bool> {};

TEST_P(DirectivesInPackages, LinkWithTheRuntimeAlone) {
  const Halide::Target target = parse_target("host", GetParam()).value();
  std::vector<Case> cases(std::begin(kCases), std::end(kCases));
  cases.push_back({"ring buffer", Kind::kBlur, kRingBuffer});
  const std::string stem = ::testing::TempDir() + fmt::format("directives_{}", ::getpid());
  std::ofstream(stem + ".c") << "int main(void) { return 0; }\n";
  ToolRun link = {{"cc", stem + ".c", "-o", stem}, ""};
  std::vector<std::string> made = {stem + ".c", stem};
  for (const Case& c : cases) {
    auto pipeline = (c.kind == Kind::kProduct ? product(8, 31, 13) : blur(8, 31))();
    const Schedule schedule = parsed(c.text);
    const auto bound = bound_facts(schedule, pipeline->view);
    ASSERT_TRUE(bound.has_value() &&
                apply_schedule(schedule, pipeline->view, *bound, target).has_value())
        << c.name;
    std::vector<Halide::Argument> arguments;
    for (const InputInfo& input : pipeline->view.inputs) arguments.push_back(input.param);
    const std::string kernel = fmt::format("kernel_{}", made.size());
    made.push_back(fmt::format("{}_{}.o", stem, kernel));
    pipeline->stages.back()
        .func.compile_to_module(arguments, kernel, target)
        .compile({{Halide::OutputFileType::object, made.back()}});
    link.arguments.push_back(made.back());
  }
  for (const char* word : {FRIT_BINARY_DIR "/runtime/libfrit_runtime_pthread.a", "-lm", "-pthread"})
    link.arguments.emplace_back(word);
  const Status linked = run_tool(link);
  EXPECT_TRUE(linked.has_value()) << to_text(linked.error());
  for (const std::string& file : made) std::filesystem::remove(file);
}

INSTANTIATE_TEST_SUITE_P(ReleaseAndDebug, DirectivesInPackages, ::testing::Bool());

TEST(Directives, OutputsAreNeverWrittenOutside) {
  for (const char* tail : {"ShiftInwards", "RoundUp", "PredicateLoads", "RoundUpAndBlend"}) {
    const auto faults =
        faults_of(product(3, 5, 4), std::string("out.vectorize(x, 8, ") + tail + ")");
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_EQ(faults[0].code, "sched-tail");
  }
}

TEST(Directives, AChainOfManyReadersStaysQuick) {
  // Each stage reads the one before twice: 2^40 paths if uses were followed one by one.
  auto p = std::make_unique<SmallPipeline>();
  auto in = p->input("in_0", {9});
  const Halide::Var x("x");
  Stage* last = nullptr;
  for (int i = 0; i < 40; ++i) {
    Stage& stage = p->add(i == 39 ? "out" : "epi_" + std::to_string(i), {"x"}, {9});
    if (last == nullptr) {
      stage() = in(x);
    } else {
      stage() = (*last)() + (*last)({8 - x}) * 0.5F;
    }
    last = &stage;
  }
  p->finish("test");
  EXPECT_TRUE(apply_default_schedule(p->view, target_facts(host(), 1), host()).has_value());
}

// Each directive makes the later ones slower: a file without end would never be checked.
TEST(Apply, RefusesMoreDirectivesThanAnyKernelNeeds) {
  std::string body;
  for (int i = 0; i < kMostDirectives; ++i) body += "out.reorder(x, y)\n";
  EXPECT_TRUE(faults_of(product(9, 31, 13), body).empty());
  const Diagnostics faults = faults_of(product(9, 31, 13), body + "acc*.reorder(x, y)\n");
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].code, "sched-too-long");
  EXPECT_EQ(faults[0].place.line, 3 + kMostDirectives);
}

}  // namespace
}  // namespace frit::testing

#include "generators/emit/temporaries.h"

#include <gtest/gtest.h>

namespace frit {
namespace {

using Halide::Func;
using Halide::ImageParam;
using Halide::Module;
using Halide::Target;
using Halide::Var;

// in [8][20008] -> g at the root (640 KB) -> h per row (80 KB) -> out [8][20000].
Module two_temporaries(bool parallel, bool nested) {
  const Target target = Halide::get_host_target()
                            .with_feature(Target::UserContext)
                            .with_feature(Target::NoRuntime)
                            .with_feature(Target::NoAsserts)
                            .with_feature(Target::NoBoundsQuery);
  ImageParam in(Halide::Float(32), 2);
  Func g("g"), h("h"), out("out");
  Var x("x"), y("y"), xo("xo"), xi("xi");
  g(x, y) = in(x, y) * 2;
  h(x, y) = g(x, y) + g(x + 1, y);
  out(x, y) = h(x, y) + h(x + 7, y);
  g.compute_root();
  if (parallel) out.parallel(y);
  h.compute_at(out, y);
  if (nested) h.split(x, xo, xi, 7, Halide::TailStrategy::GuardWithIf).parallel(xo);
  in.dim(0).set_bounds(0, 20008).set_stride(1);
  in.dim(1).set_bounds(0, 8).set_stride(20008);
  out.output_buffer().dim(0).set_bounds(0, 20000).set_stride(1);
  out.output_buffer().dim(1).set_bounds(0, 8).set_stride(20000);
  return Halide::Pipeline(out).compile_to_module({in}, "kernel", target);
}

constexpr std::int64_t round_up(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }
constexpr std::int64_t kG = round_up((8 * 20008 + 3) * 4);
constexpr std::int64_t kH = round_up((20007 + 3) * 4);

TEST(Temporaries, AddUpAlongTheNestOfASerialKernel) {
  const auto found = temporaries_of(two_temporaries(false, false), "kernel");
  ASSERT_TRUE(found) << to_text(found.error());
  EXPECT_EQ(found->bytes, kG + kH);
  EXPECT_EQ(found->worker_bytes, 0);
}

TEST(Temporaries, OfAParallelLoopAreTheWorkers) {
  const auto found = temporaries_of(two_temporaries(true, false), "kernel");
  ASSERT_TRUE(found) << to_text(found.error());
  EXPECT_EQ(found->bytes, kG);
  EXPECT_EQ(found->worker_bytes, kH);
}

TEST(Temporaries, OfNestedParallelLoopsAreOneWorkers) {
  const auto found = temporaries_of(two_temporaries(true, true), "kernel");
  ASSERT_TRUE(found) << to_text(found.error());
  EXPECT_EQ(found->bytes, kG);
  EXPECT_EQ(found->worker_bytes, kH);
}

}  // namespace
}  // namespace frit

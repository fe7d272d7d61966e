// What rfactor gains on long reductions with few outputs: reduce_long.sched against the same kernel
// without it, in alternation.
//
// usage: frit_bench_rfactor SHAPES CACHE_FOLDER    (bench/shapes/long_reductions.txt)
// Results are compared before they are timed. Median and MAD of 51 runs each, one thread.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>

#include "generators/emit/emit.h"
#include "generators/emit/kernel_library.h"
#include "generators/emit/target.h"
#include "generators/fusion/planner.h"
#include "tests/support/graph_builder.h"

namespace frit {
namespace {

struct Shape {
  std::int64_t outputs = 0, inputs = 0;
};

// One ReduceSum kernel, loaded. `text`: a schedule in place of the shipped ones; empty: those.
class SumKernel {
 public:
  SumKernel(const Shape& shape, const std::string& text, const std::string& cache) {
    GraphBuilder builder;
    const ValueId x = builder.input("x", {shape.outputs, shape.inputs});
    builder.output(builder.add("ReduceSum", "sum", {x},
                               {{"axes", std::vector<std::int64_t>{1}}, {"keepdims", 0L}}));
    EmitOptions options;
    options.target = parse_target("host", false).value();
    options.cache_folder = cache;
    if (!text.empty()) options.user_schedules = {parse_schedule(text, "plain.sched").value()};
    const Plan plan = make_plan(builder.graph(), {}).value();
    model_ = emit_model(builder.graph(), plan, options).value();
    library_ = KernelLibrary::load(model_).value();
  }

  void run(std::vector<float>& in, std::vector<float>& out) const {
    const Status ran = library_->run(0, {in.data(), out.data()});
    FRIT_ASSERT(ran.has_value(), "the kernel fails");
  }
  const std::string& schedule() const { return model_.kernels.at(0).schedule_name; }

 private:
  CompiledModel model_;
  std::unique_ptr<KernelLibrary> library_;
};

struct Times {
  double median_us = 0, mad_us = 0;
};

Times summary(std::vector<double> us) {
  const auto middle = [](std::vector<double>& v) {
    std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
    return v[v.size() / 2];
  };
  Times times;
  times.median_us = middle(us);
  for (double& t : us) t = std::abs(t - times.median_us);
  times.mad_us = middle(us);
  return times;
}

double timed(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

std::string compare(const Shape& shape, const std::string& cache) {
  const SumKernel shipped(shape, "", cache), plain(shape, "schedule 1\nfor reduce\n", cache);
  std::vector<float> in(static_cast<std::size_t>(shape.outputs * shape.inputs));
  // Eighths around zero: every partial sum is exact, so both orders must give the same.
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 17) / 8.0F - 1.0F;
  std::vector<float> a(static_cast<std::size_t>(shape.outputs)), b = a;
  shipped.run(in, a);
  plain.run(in, b);
  if (a != b) return "results differ";
  std::vector<double> with, without;
  for (int round = 0; round < 51; ++round) {
    with.push_back(timed([&] { shipped.run(in, a); }));
    without.push_back(timed([&] { plain.run(in, b); }));
  }
  const Times w = summary(with), p = summary(without);
  return fmt::format("{:>8} {:>9}  {:>10.2f} ±{:<8.2f} {:>10.2f} ±{:<8.2f} {:>6.1f}x  {}",
                     shape.outputs, shape.inputs, p.median_us, p.mad_us, w.median_us, w.mad_us,
                     p.median_us / w.median_us, shipped.schedule());
}

}  // namespace
}  // namespace frit

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: {} SHAPES CACHE_FOLDER\n", argv[0]);
    return 2;
  }
  std::ifstream file(argv[1]);
  fmt::print(" outputs    inputs    plain us           rfactor us            gain  schedule\n");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    frit::Shape shape;
    if (words >> shape.outputs >> shape.inputs) fmt::print("{}\n", frit::compare(shape, argv[2]));
  }
  return 0;
}

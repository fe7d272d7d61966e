// frit profile: the time of each kernel inside a run of the whole model, beside the FMA peak.
//
// It is the package that is timed, step by step: its arena, its fills of borders, its threads. What
// a kernel finds in the caches is what the steps before it left there.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/frit/commands.h"
#include "apps/frit/host.h"
#include "apps/frit/inputs.h"
#include "apps/frit/interrupt.h"
#include "apps/frit/model_options.h"
#include "apps/frit/peak.h"
#include "apps/frit/pin.h"
#include "apps/frit/run_package.h"
#include "apps/frit/samples.h"

namespace frit {

namespace {

constexpr int kWarmUps = 2;

/// One kernel of the model, what it computes and how long it took.
struct Row {
  const Group* group = nullptr;
  const Kernel* kernel = nullptr;
  std::string shape;  ///< facts of the anchor: "64x56x56 c64 3x3"
  std::int64_t flop = 0;
  std::vector<std::int64_t> samples_ns;
  SampleStatistics time;

  double gflops() const {
    return time.median == 0 ? 0.0 : static_cast<double>(flop) / static_cast<double>(time.median);
  }
};

/// Convolution and matrix product over all input channels: what the FMA peak is the roof of.
bool is_dense(const std::string& anchor) { return anchor == "conv2d" || anchor == "matmul"; }

std::string shape_text(const Facts& facts) {
  std::string text;
  for (const char* name :
       {"k", "n", "m", "y", "x", "c", "ry", "rx", "group", "stride_y", "dilation_y"}) {
    const auto found = facts.find(name);
    if (found == facts.end()) continue;
    const bool is_default = found->second == 1 && std::string(name).size() > 2;
    if (!is_default) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, found->second);
  }
  return text;
}

std::int64_t flop_of(const Graph& graph, const Group& group) {
  std::int64_t flop = 0;
  for (const NodeId id : group.nodes) {
    const Node& node = graph.node(id);
    flop += find_operator(node.domain, node.type)->counts(graph.instance(node)).flop;
  }
  return flop;
}

std::vector<Row> rows_of(const BuiltModel& built) {
  std::map<int, const Group*> groups;
  for (const Group& group : built.planned.plan.groups) groups[group.id] = &group;
  std::vector<Row> rows;
  for (const Kernel& kernel : built.compiled.kernels) {
    Row row;
    row.kernel = &kernel;
    row.group = groups.at(kernel.group);
    row.shape = shape_text(group_facts(built.planned.graph, built.planned.plan, *row.group));
    row.flop = flop_of(built.planned.graph, *row.group);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The caller's side of a package: dense inputs and outputs.
struct Buffers {
  std::vector<Tensor> inputs;
  std::vector<std::vector<std::byte>> outputs;
  std::vector<const void*> from;
  std::vector<void*> to;
};

Buffers buffers_of(const Graph& graph, std::vector<Tensor> inputs) {
  Buffers buffers;
  buffers.inputs = std::move(inputs);
  for (const Tensor& input : buffers.inputs) buffers.from.push_back(input.bytes().data());
  for (const ValueId output : graph.outputs) {
    buffers.outputs.emplace_back(static_cast<std::size_t>(graph.value(output).type.bytes()));
  }
  for (std::vector<std::byte>& output : buffers.outputs) buffers.to.push_back(output.data());
  return buffers;
}

Status measure(LoadedPackage& package, const Buffers& buffers, int runs, std::vector<Row>& rows) {
  using Clock = std::chrono::steady_clock;
  const int steps = package.steps();
  for (int run = 0; run < kWarmUps + runs; ++run) {
    Clock::time_point start = Clock::now();
    for (int step = -1; step <= steps; ++step) {
      FRIT_TRY(package.step(buffers.from, buffers.to, step));
      const Clock::time_point end = Clock::now();
      const bool kernel = step >= 0 && step < steps;
      if (run >= kWarmUps && kernel) {
        rows[static_cast<std::size_t>(step)].samples_ns.push_back((end - start).count());
      }
      start = end;
    }
  }
  for (Row& row : rows) row.time = statistics_of(row.samples_ns);
  return {};
}

/// Sums over kernels of one kind.
struct Sum {
  std::int64_t ns = 0, flop = 0;
  int kernels = 0;

  void add(const Row& row) {
    ns += row.time.median;
    flop += row.flop;
    ++kernels;
  }
  double gflops() const {
    return ns == 0 ? 0.0 : static_cast<double>(flop) / static_cast<double>(ns);
  }
};

struct Profile {
  std::vector<Row> rows;
  double peak_gflops = 0.0;
  Sum all;
  std::map<std::string, Sum> anchors;
  Sum dense, dense_at_90;  ///< of those, the kernels at 90 % of the peak or above
};

Profile summed(std::vector<Row> rows, double peak_gflops) {
  Profile profile;
  profile.peak_gflops = peak_gflops;
  for (const Row& row : rows) {
    profile.all.add(row);
    profile.anchors[row.group->anchor].add(row);
    if (!is_dense(row.group->anchor)) continue;
    profile.dense.add(row);
    if (row.gflops() >= 0.9 * peak_gflops) profile.dense_at_90.add(row);
  }
  profile.rows = std::move(rows);
  return profile;
}

double percent(double part, double whole) { return whole <= 0.0 ? 0.0 : 100.0 * part / whole; }

std::string text_of(const Profile& profile) {
  const auto ms = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-6; };
  const auto share = [&](std::int64_t ns) {
    return percent(static_cast<double>(ns), static_cast<double>(profile.all.ns));
  };
  std::string text = fmt::format("{:>9} {:>8} {:>6} {:>8} {:>6}  {:<22} {:<20} {}\n", "ms", "MAD",
                                 "time%", "GFLOP/s", "peak%", "group", "schedule", "shape");
  for (const Row& row : profile.rows) {
    text += fmt::format("{:9.4f} {:8.4f} {:6.1f} {:8.1f} {:6.1f}  {:<22} {:<20} {}\n",
                        ms(row.time.median), ms(row.time.mad), share(row.time.median), row.gflops(),
                        percent(row.gflops(), profile.peak_gflops), row.group->name,
                        row.kernel->schedule_name, row.shape);
  }
  const auto line = [&](const std::string& name, const Sum& sum) {
    text += fmt::format("{:9.4f} {:>8} {:6.1f} {:8.1f} {:6.1f}  {} ({} kernels)\n", ms(sum.ns), "",
                        share(sum.ns), sum.gflops(), percent(sum.gflops(), profile.peak_gflops),
                        name, sum.kernels);
  };
  text += "\n";
  for (const auto& [anchor, sum] : profile.anchors) line(anchor, sum);
  line("all", profile.all);
  text += fmt::format(
      "FMA peak {:.1f} GFLOP/s; dense convolutions and products: {:.1f} % of the peak; "
      "{:.1f} % of their FLOPs run at 90 % of it or above\n",
      profile.peak_gflops, percent(profile.dense.gflops(), profile.peak_gflops),
      percent(static_cast<double>(profile.dense_at_90.flop),
              static_cast<double>(profile.dense.flop)));
  return text;
}

nlohmann::json run_json(const Row& row, const Graph& graph, const Profile& profile,
                        const Options& options) {
  nlohmann::json nodes = nlohmann::json::array();
  for (const NodeId id : row.group->nodes) nodes.push_back(graph.node(id).name);
  return {{"group", row.group->name},
          {"anchor", row.group->anchor},
          {"nodes", std::move(nodes)},
          {"schedule", row.kernel->schedule_name},
          {"shape", row.shape},
          {"flop", row.flop},
          {"median_ns", row.time.median},
          {"mad_ns", row.time.mad},
          {"least_ns", row.time.least},
          {"of_peak", row.gflops() / profile.peak_gflops},
          {"samples_ns", row.samples_ns},
          {"warnings", nlohmann::json::array()},
          {"repro", reproduce_line(options)}};
}

nlohmann::json json_of(const Profile& profile, const Graph& graph, const std::vector<int>& pinned,
                       const Options& options) {
  nlohmann::json runs = nlohmann::json::array();
  for (const Row& row : profile.rows) runs.push_back(run_json(row, graph, profile, options));
  nlohmann::json host = to_json(host_facts());
  host["affinity"] = pinned;
  return {{"schema", "frit.profile/1"},
          {"tool", {{"name", "frit"}, {"version", FRIT_VERSION}}},
          {"host", std::move(host)},
          {"fma_peak_gflops", profile.peak_gflops},
          {"runs", std::move(runs)}};
}

}  // namespace

ExitCode command_profile(const Options& options, Console& console) {
  auto build = build_options(options, console);
  if (!build) return console.reject(build.error());
  const InterruptScope scope;
  auto built = build_model(*build);
  if (!built) return console.reject(built.error());
  const Graph& graph = built->planned.graph;
  auto inputs = make_inputs(graph, options.command.inputs);
  if (!inputs) return console.reject(inputs.error());
  std::vector<int> pinned;
  const int threads = options.model.threads;
  if (const Status status = pin_process(options.command.pin, threads, pinned); !status) {
    return console.reject(status.error());
  }
  auto package = load_built(options, *build, *built);
  if (!package) return console.reject(package.error());
  std::vector<Row> rows = rows_of(*built);
  const double before = threads * measure_fma_peak();
  if (const Status run =
          measure(*package, buffers_of(graph, std::move(*inputs)), options.command.runs, rows);
      !run) {
    return console.reject(run.error());
  }
  const Profile profile = summed(std::move(rows), std::max(before, threads * measure_fma_peak()));
  if (console.json()) {
    console.document(json_of(profile, graph, pinned, options));
  } else {
    console.answer(text_of(profile));
  }
  return ExitCode::kSuccess;
}

}  // namespace frit

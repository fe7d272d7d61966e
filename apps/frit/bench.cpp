// frit bench: packages timed in turns, so that whatever slows the machine slows all of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/frit/bench_package.h"
#include "apps/frit/commands.h"
#include "apps/frit/host.h"
#include "apps/frit/pin.h"
#include "apps/frit/samples.h"
#include "apps/frit/scratch_folder.h"
#include "ops/base/output_file.h"
#include "ops/base/printable.h"

namespace frit {

namespace {

constexpr int kWarmUps = 3;
// A folder's name may hold any bytes.
constexpr auto kReplace = nlohmann::json::error_handler_t::replace;

/// Two packages of one model must give nearly the same, else their times mean nothing.
Status check_agreement(const BenchPackage& first, const BenchPackage& other) {
  if (first.facts().model_sha256.empty() ||
      first.facts().model_sha256 != other.facts().model_sha256 ||
      first.facts().inputs != other.facts().inputs) {
    return {};
  }
  const std::vector<Tensor> a = first.outputs(), b = other.outputs();
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const std::vector<double> x = a[i].to_doubles(), y = b[i].to_doubles();
    double most = 0, difference = 0;
    for (std::size_t j = 0; j < x.size() && j < y.size(); ++j) {
      most = std::max(most, std::abs(x[j]));
      difference = std::max(difference, std::abs(x[j] - y[j]));
    }
    if (difference > 1e-3 * most) {
      return fail("no-agreement",
                  fmt::format("'{}' and '{}' are of one model but output {} differs "
                              "by {:.3g} of {:.3g}; run frit verify",
                              first.facts().folder, other.facts().folder, i, difference, most));
    }
  }
  return {};
}

struct Timed {
  BenchPackage package;
  std::vector<std::int64_t> samples_ns;
};

// Enough for any statistic; a model of nanoseconds would fill the memory with samples.
constexpr int kMostRounds = 100000;
// Packages of very different speed: the slow one is not run for hours until the fast one has its
// time.
constexpr std::int64_t kMostTimes = 10;

/// Rounds of one run each, the order turned every round.
void measure(std::vector<Timed>& all, const CommandOptions& options) {
  const auto least_ns = static_cast<std::int64_t>(options.min_time_s * 1e9);
  std::int64_t spent_ns = 0, total_ns = 0;
  const auto wanted = [&](int round) {
    if (round < options.runs) return true;
    return spent_ns < least_ns && total_ns < kMostTimes * least_ns && round < kMostRounds;
  };
  for (int round = 0; wanted(round); ++round) {
    std::int64_t shortest = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      Timed& timed = all[round % 2 == 0 ? i : all.size() - 1 - i];
      timed.samples_ns.push_back(timed.package.timed_run_ns());
      const std::int64_t last = timed.samples_ns.back();
      shortest = i == 0 ? last : std::min(shortest, last);
      total_ns += last;
    }
    spent_ns += shortest;
  }
}

nlohmann::json run_json(const Timed& timed, const Options& options) {
  const PackageFacts& facts = timed.package.facts();
  const SampleStatistics s = statistics_of(timed.samples_ns);
  return {{"package", facts.folder},
          {"c_name", facts.c_name},
          {"model_sha256", facts.model_sha256},
          {"target", facts.target},
          {"cpu_level", facts.level_name},
          {"threads", facts.threads},
          {"group", ""},  // the whole model
          {"onnx_nodes", facts.onnx_nodes},
          {"schedule_sha", facts.schedule_sha},
          {"median_ns", s.median},
          {"mad_ns", s.mad},
          {"least_ns", s.least},
          {"samples_ns", timed.samples_ns},
          {"warnings", nlohmann::json::array()},
          {"repro", reproduce_line(options)}};
}

nlohmann::json result_json(const std::vector<Timed>& all, const std::vector<int>& pinned,
                           const Options& options) {
  nlohmann::json runs = nlohmann::json::array();
  for (const Timed& timed : all) runs.push_back(run_json(timed, options));
  nlohmann::json host = to_json(host_facts());
  host["affinity"] = pinned;
  return {{"schema", "frit.bench/1"},
          {"tool", {{"name", "frit"}, {"version", FRIT_VERSION}}},
          {"host", std::move(host)},
          {"runs", std::move(runs)}};
}

/// As on the command line.
std::string name_of(const PackageFacts& facts) {
  return facts.level_name.empty() ? facts.folder : facts.folder + "@" + facts.level_name;
}

std::string result_text(const std::vector<Timed>& all) {
  std::string text = fmt::format("{:>12} {:>9} {:>12} {:>7} {:>7}  {}\n", "median ms", "MAD",
                                 "least ms", "runs", "ratio", "package");
  const double base = static_cast<double>(statistics_of(all.front().samples_ns).median);
  for (const Timed& timed : all) {
    const SampleStatistics s = statistics_of(timed.samples_ns);
    const auto ms = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-6; };
    text += fmt::format("{:12.4f} {:9.4f} {:12.4f} {:7} {:7.3f}  {}\n", ms(s.median), ms(s.mad),
                        ms(s.least), timed.samples_ns.size(), static_cast<double>(s.median) / base,
                        name_of(timed.package.facts()));
  }
  return text;
}

}  // namespace

ExitCode command_bench(const Options& options, Console& console) {
  std::vector<PackageFacts> facts;
  int cores = 1;
  for (const std::string& folder : options.command.folders) {
    auto read = read_package_facts(folder);
    if (!read) return console.reject(read.error());
    cores = std::max(cores, read->threads);
    facts.push_back(std::move(*read));
  }
  std::vector<int> pinned;
  if (const Status status = pin_process(options.command.pin, cores, pinned); !status) {
    return console.reject(status.error());
  }
  auto scratch = ScratchFolder::make();
  if (!scratch) return console.reject(scratch.error());

  std::vector<Timed> all;
  for (PackageFacts& one : facts) {
    auto package =
        BenchPackage::load(std::move(one), scratch->path(), static_cast<int>(all.size()));
    if (!package) return console.reject(package.error());
    for (int run = 0; run < kWarmUps; ++run) {
      if (const Status status = package->run(); !status) return console.reject(status.error());
    }
    all.push_back({std::move(*package), {}});
    if (const Status same = check_agreement(all.front().package, all.back().package); !same) {
      console.reject(same.error());
      return ExitCode::kNo;
    }
  }
  measure(all, options.command);

  const nlohmann::json result = result_json(all, pinned, options);
  if (!options.command.export_json.empty()) {
    const std::string fault = write_whole(
        options.command.export_json, printable_json(result.dump(1, ' ', false, kReplace)) + "\n");
    if (!fault.empty()) return console.reject(error("run-write", fault));
  }
  if (console.json()) {
    console.document(result);
  } else {
    console.answer(result_text(all));
  }
  return ExitCode::kSuccess;
}

}  // namespace frit

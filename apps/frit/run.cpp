// frit run: the model executed once in this process, by the same code that a package holds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/frit/commands.h"
#include "apps/frit/check_path.h"
#include "apps/frit/inputs.h"
#include "apps/frit/interrupt.h"
#include "apps/frit/model_options.h"
#include "apps/frit/npy.h"
#include "apps/frit/run_package.h"

namespace frit {

namespace {

/// A value to be written, by name.
struct Wanted {
  std::string value, file;
};

Result<std::vector<Wanted>> wanted_files(const std::vector<std::string>& texts,
                                         const char* option) {
  std::vector<Wanted> wanted;
  for (const std::string& text : texts) {
    auto parts = split_assignment(text, option);
    if (!parts) return fail(parts.error());
    wanted.push_back({parts->first, parts->second});
  }
  return wanted;
}

/// Each value and each file once: of two the second would win, and nobody would know.
Status check_once(const std::vector<Wanted>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto& [value, file] = wanted[i];
      if (value == wanted[j].value) {
        return fail("cli-output", fmt::format("'{}' is to be written twice, to '{}' and to '{}'; "
                                              "keep one",
                                              value, wanted[j].file, file));
      }
      if (file == wanted[j].file && !file.starts_with("/dev/")) {
        return fail("cli-output", fmt::format("'{}' is to hold both '{}' and '{}'; name another "
                                              "file for one",
                                              file, wanted[j].value, value));
      }
    }
  }
  return {};
}

struct Summary {
  double least = 0.0, most = 0.0, mean = 0.0;
  std::int64_t not_finite = 0;
};

Summary summary_of(const Tensor& tensor) {
  Summary summary;
  std::int64_t finite = 0;
  for (const double v : tensor.to_doubles()) {
    if (!std::isfinite(v)) {
      ++summary.not_finite;
      continue;
    }
    summary.least = finite == 0 ? v : std::min(summary.least, v);
    summary.most = finite == 0 ? v : std::max(summary.most, v);
    summary.mean += v;
    ++finite;
  }
  if (finite > 0) summary.mean /= static_cast<double>(finite);
  return summary;
}

void print_outputs(Console& console, const Options& options, const Graph& graph,
                   const std::vector<Tensor>& outputs) {
  nlohmann::json list = nlohmann::json::array();
  std::string text;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = graph.output_name(i);
    const Summary s = summary_of(outputs[i]);
    text += fmt::format("{}  {}  min {:.6g}  max {:.6g}  mean {:.6g}", name,
                        to_text(outputs[i].type()), s.least, s.most, s.mean);
    if (s.not_finite > 0) text += fmt::format("  not finite {}", s.not_finite);
    text += "\n";
    list.push_back({{"name", name},
                    {"type", to_text(outputs[i].type())},
                    {"min", s.least},
                    {"max", s.most},
                    {"mean", s.mean},
                    {"not_finite", s.not_finite}});
  }
  if (console.json()) {
    console.document({{"schema", "frit.run/1"},
                      {"outputs", std::move(list)},
                      {"repro", reproduce_line(options)}});
  } else {
    console.answer(text);
  }
}

Status write_wanted(const Graph& graph, const std::vector<Tensor>& outputs,
                    const std::vector<Wanted>& wanted) {
  for (const Wanted& want : wanted) {
    std::string names;
    bool written = false;
    for (std::size_t i = 0; i < outputs.size() && !written; ++i) {
      const std::string& name = graph.output_name(i);
      names += (names.empty() ? "'" : ", '") + name + "'";
      if (name != want.value) continue;
      FRIT_TRY(write_npy(want.file, outputs[i]));
      written = true;
    }
    if (!written) {
      return fail("input-name", fmt::format("the model has no output '{}'; its outputs are {}",
                                            want.value, names));
    }
  }
  return {};
}

}  // namespace

ExitCode command_run(const Options& options, Console& console) {
  auto build = build_options(options, console);
  if (!build) return console.reject(build.error());
  auto wanted = wanted_files(options.command.outputs, "--output");
  if (!wanted) return console.reject(wanted.error());
  auto dumps = wanted_files(options.command.dump, "--dump");
  if (!dumps) return console.reject(dumps.error());
  // An intermediate is there to be read when it is an output too.
  for (const Wanted& dump : *dumps) build->extra_outputs.push_back(dump.value);
  wanted->insert(wanted->end(), dumps->begin(), dumps->end());
  if (const Status once = check_once(*wanted); !once) return console.reject(once.error());
  for (const Wanted& file : *wanted) {
    if (const Status other = check_not_input(file.file, options.model.model); !other) {
      return console.reject(other.error());
    }
  }

  const InterruptScope scope;
  auto built = build_to_execute(*build, MemoryUse::kRun);
  if (!built) return console.reject(built.error());
  console.warn(built->compiled.warnings);
  const Graph& graph = built->planned.graph;
  auto inputs = make_inputs(graph, options.command.inputs);
  if (!inputs) return console.reject(inputs.error());
  auto package = load_built(options, *build, *built);
  if (!package) return console.reject(package.error());
  auto outputs = package->run(*inputs);
  if (!outputs) return console.reject(outputs.error());
  if (const Status written = write_wanted(graph, *outputs, *wanted); !written) {
    return console.reject(written.error());
  }
  print_outputs(console, options, graph, *outputs);
  return ExitCode::kSuccess;
}

}  // namespace frit

// frit build: the package of a model.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "apps/frit/commands.h"
#include "apps/frit/group_view.h"
#include "apps/frit/interrupt.h"
#include "apps/frit/model_options.h"
#include "generators/emit/hash.h"
#include "generators/emit/target.h"
#include "generators/package/package.h"

namespace frit {

namespace {

namespace fs = std::filesystem;

std::string bytes_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {(std::istreambuf_iterator<char>(stream)), {}};
}

PackageOptions package_options(const Options& options, const BuildOptions& build) {
  PackageOptions package;
  package.numerics = options.model.numerics;
  package.name = options.command.name.empty() ? fs::path(options.model.model).stem().string()
                                              : options.command.name;
  package.out_dir = options.command.out;
  package.target = build.emit.target;
  package.threads = options.model.threads;
  package.debug = options.command.debug;
  if (options.command.weights == "external") package.weights = Weights::kExternal;
  package.keep_plan = std::ranges::count(options.command.emit, "plan") > 0;
  package.model_sha256 = sha256(bytes_of(options.model.model));
  return package;
}

/// <part>/<group>.<suffix> for each group.
Diagnostics add_views(const Options& options, const BuildOptions& build, const BuiltModel& built,
                      PackageOptions& package) {
  struct Part {
    const char* name;
    GroupView view;
    const char* suffix;
  };
  static constexpr Part kParts[] = {{"schedule", GroupView::kSchedule, ".sched"},
                                    {"stmt", GroupView::kStmt, ".stmt"},
                                    {"asm", GroupView::kAsm, ".s"}};
  for (const Part& part : kParts) {
    if (std::ranges::count(options.command.emit, part.name) == 0) continue;
    auto texts = view_groups(built.planned, "", part.view, build.emit);
    if (!texts) return texts.error();
    for (GroupText& text : texts->groups) {
      package.extras.emplace_back(std::string(part.name) + "/" + text.group + part.suffix,
                                  std::move(text.text));
    }
  }
  return {};
}

/// Symbol -> object file, of all CPU levels.
std::map<std::string, std::string> distinct_kernels(const CompiledModel& compiled) {
  std::map<std::string, std::string> objects;
  const auto add = [&](const std::vector<Kernel>& kernels) {
    for (const Kernel& kernel : kernels) objects[kernel.symbol] = kernel.object_path;
  };
  add(compiled.kernels);
  for (const CompiledModel::Level& lower : compiled.lower_levels) add(lower.kernels);
  return objects;
}

void add_objects(const Options& options, const BuiltModel& built, PackageOptions& package) {
  if (std::ranges::count(options.command.emit, "objects") == 0) return;
  for (const auto& [symbol, object] : distinct_kernels(built.compiled)) {
    package.extras.emplace_back("objects/" + symbol + ".o", bytes_of(object));
  }
}

void print_summary(const Options& options, Console& console, const BuiltModel& built,
                   const PackageFiles& files) {
  const std::size_t kernels = distinct_kernels(built.compiled).size();
  if (console.json()) {
    nlohmann::json paths = {{"archive", files.archive},
                            {"header", files.header},
                            {"report", files.report},
                            {"cmake", files.cmake},
                            {"pkg_config", files.pkg_config}};
    if (!files.weights.empty()) {
      paths["weights"] = files.weights;
      paths["map_weights"] = files.map_weights;
    }
    console.document({{"schema", "frit.build/1"},
                      {"c_name", files.c_name},
                      {"files", paths},
                      {"onnx_nodes", built.planned.imported.nodes().size()},
                      {"steps", built.compiled.kernels.size()},
                      {"distinct_kernels", kernels},
                      {"arena_bytes", files.memory.arena.peak_bytes},
                      {"arena_lower_bound_bytes", files.memory.arena.lower_bound_bytes},
                      {"constant_bytes", files.memory.constant_bytes},
                      {"repro", reproduce_line(options)}});
    return;
  }
  console.answer(
      fmt::format("{} nodes in {} kernels ({} distinct); arena {:.1f} KiB (lower bound {:.1f}), "
                  "weights {:.1f} KiB\n{}\n{}\n{}{}",
                  built.planned.imported.nodes().size(), built.compiled.kernels.size(), kernels,
                  static_cast<double>(files.memory.arena.peak_bytes) / 1024,
                  static_cast<double>(files.memory.arena.lower_bound_bytes) / 1024,
                  static_cast<double>(files.memory.constant_bytes) / 1024, files.archive,
                  files.header, files.report, files.weights.empty() ? "" : "\n" + files.weights));
}

}  // namespace

ExitCode command_build(const Options& options, Console& console) {
  auto build = build_options(options, console);
  if (!build) return console.reject(build.error());
  if (!options.command.name.empty()) {
    if (const Status named = check_package_name(options.command.name); !named) {
      Diagnostic fault = named.error();
      fault.code = "cli-name";
      return console.reject(fault);
    }
  }
  const InterruptScope scope;
  auto built = build_model(*build);
  if (!built) return console.reject(built.error());
  console.warn(built->compiled.warnings);
  PackageOptions package = package_options(options, *build);
  add_objects(options, *built, package);
  if (const Diagnostics faults = add_views(options, *build, *built, package); !faults.empty()) {
    return console.reject(faults);
  }
  auto files = write_package(built->planned.graph, built->planned.plan, built->compiled, package);
  if (!files) return console.reject(files.error());
  print_summary(options, console, *built, *files);
  return ExitCode::kSuccess;
}

}  // namespace frit

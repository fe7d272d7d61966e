#include "apps/frit/model_options.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "apps/frit/check_path.h"
#include "apps/frit/interrupt.h"
#include "apps/frit/npy.h"
#include "generators/emit/target.h"
#include "generators/onnx/shape_argument.h"
#include "ops/base/text_file.h"

namespace frit {

namespace {

int usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return std::max(1, CPU_COUNT(&allowed));
}

void add_shapes(const ModelOptions& model, ImportOptions& import, Diagnostics& faults) {
  for (const std::string& text : model.shapes) {
    auto shape = parse_shape_argument(text);
    if (!shape) {
      Diagnostic fault = shape.error();
      fault.code = "cli-shape";
      faults.push_back(std::move(fault));
    } else if (!import.shapes.insert(*shape).second) {
      faults.push_back(error(
          "cli-shape", fmt::format("--shape names input '{}' twice; keep one", shape->first)));
    }
  }
}

void add_constants(const ModelOptions& model, ImportOptions& import, Diagnostics& faults) {
  for (const std::string& text : model.constants) {
    auto parts = split_assignment(text, "--const");
    if (!parts) {
      faults.push_back(parts.error());
      continue;
    }
    auto tensor = read_npy(parts->second);
    if (!tensor) {
      faults.push_back(tensor.error());
    } else if (!import.consts.emplace(parts->first, std::move(*tensor)).second) {
      faults.push_back(error(
          "cli-const", fmt::format("--const names input '{}' twice; keep one", parts->first)));
    }
  }
}

void add_pairs(const std::vector<std::string>& texts, const char* option,
               std::vector<NodePair>& pairs, Diagnostics& faults) {
  for (const std::string& text : texts) {
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos || comma == 0 || comma + 1 == text.size()) {
      faults.push_back(
          error("cli-pair", fmt::format("{} '{}' is not two node names; write A,B", option, text)));
    } else {
      pairs.emplace_back(text.substr(0, comma), text.substr(comma + 1));
    }
  }
}

FusionLevel fusion_level(const std::string& name) {
  if (name == "none") return FusionLevel::kNone;
  if (name == "elementwise") return FusionLevel::kElementwise;
  return FusionLevel::kGreedy;
}

void add_schedules(const std::string& folder, std::vector<Schedule>& schedules,
                   Diagnostics& faults) {
  if (folder.empty()) return;
  if (const Status there = check_folder(folder, "a folder of schedules"); !there) {
    faults.push_back(there.error());
    return;
  }
  std::vector<std::filesystem::path> files;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".sched") files.push_back(entry.path());
  }
  // By name: the same folder gives the same choice on every file system.
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    faults.push_back(error(
        "input-folder",
        fmt::format("the folder '{}' of --schedules has no .sched file; name the one that has",
                    folder)));
  }
  for (const auto& file : files) {
    const Result<std::string> text = read_text_file(file.string(), "schedule");
    if (!text) {
      faults.push_back(text.error());
      continue;
    }
    auto schedule = parse_schedule(*text, file.string());
    if (schedule) {
      schedules.push_back(std::move(*schedule));
    } else {
      faults.insert(faults.end(), schedule.error().begin(), schedule.error().end());
    }
  }
}

std::string progress_text(const EmitProgress& progress) {
  std::string text = fmt::format("[{:3}/{}] {}", progress.done, progress.total, progress.group);
  if (progress.cached > 0) text += fmt::format("  cached {}", progress.cached);
  if (progress.done < progress.total) {
    const int seconds = static_cast<int>(progress.eta_seconds + 0.5);
    text += seconds >= 60 ? fmt::format("  eta {}m{:02}s", seconds / 60, seconds % 60)
                          : fmt::format("  eta {}s", seconds);
  }
  return text;
}

/// --target, or --cpu-levels, whose highest level then is the target.
void add_target(const Options& options, EmitOptions& emit, Diagnostics& faults) {
  const ModelOptions& model = options.model;
  const bool debug = options.command.debug;
  const auto refuse = [&](Diagnostic fault) {
    fault.code = "cli-target";
    faults.push_back(std::move(fault));
  };
  if (model.targets.size() > 1) {
    return refuse(error(
        "cli-target", fmt::format("--target names {} targets, {} and {}, but a package is for one; "
                                  "keep one (levels of x86 chosen when run: --cpu-levels)",
                                  model.targets.size(), model.targets[0], model.targets[1])));
  }
  if (options.command.cpu_levels.empty()) {
    auto target = parse_target(model.targets.empty() ? "host" : model.targets.front(), debug);
    if (!target) return refuse(target.error());
    emit.target = *target;
    return;
  }
  if (!model.targets.empty()) {
    return refuse(error("cli-target", "--target " + model.targets.front() +
                                          " names one target but --cpu-levels several; leave one "
                                          "of them out"));
  }
  auto levels = parse_cpu_levels(options.command.cpu_levels, debug);
  if (!levels) return refuse(levels.error());
  emit.levels = std::move(*levels);
  emit.target = emit.levels.back().target;
}

}  // namespace

Result<std::pair<std::string, std::string>> split_assignment(const std::string& text,
                                                             const std::string& option) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return fail("cli-assignment",
                fmt::format("{} '{}' is not NAME=VALUE; see frit --help", option, text));
  }
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

tl::expected<BuildOptions, Diagnostics> build_options(const Options& options, Console& console) {
  const ModelOptions& model = options.model;
  BuildOptions build;
  Diagnostics faults;
  build.model = model.model;
  add_shapes(model, build.import, faults);
  add_constants(model, build.import, faults);
  build.passes.off.insert(model.no_pass.begin(), model.no_pass.end());
  build.passes.fast = model.numerics == "fast";
  build.plan.level = fusion_level(model.fusion);
  add_pairs(model.fuse, "--fuse", build.plan.fuse, faults);
  add_pairs(model.no_fuse, "--no-fuse", build.plan.forbid, faults);
  build.plan.fences = model.fence;
  build.pinned_plan = model.plan_file;
  add_target(options, build.emit, faults);
  build.emit.jobs = options.command.jobs > 0 ? options.command.jobs : usable_cores();
  add_schedules(model.schedules_folder, build.emit.user_schedules, faults);
  build.emit.progress = [&console](const EmitProgress& progress) {
    console.progress(progress_text(progress), progress.done == progress.total);
  };
  build.emit.stop = interrupt_requested;
  if (!faults.empty()) return tl::unexpected<Diagnostics>(std::move(faults));
  return build;
}

}  // namespace frit

#include "generators/package/package.h"

#include <fmt/format.h>

#include <filesystem>

#include "generators/emit/target.h"
#include "generators/package/build.h"
#include "generators/package/model.h"
#include "generators/package/weights_file.h"

namespace frit {
namespace {

Status move_into_place(const BuildFolder& folder, const std::string& name,
                       const std::string& path) {
  std::error_code problem;
  std::filesystem::rename(folder.path() + "/" + name, path, problem);
  if (!problem) return {};
  return fail("package-write",
              fmt::format("cannot write '{}': {}; give another folder", path, problem.message()));
}

Status check_target(const Halide::Target& target) {
  if (!target.has_gpu_feature()) return {};
  return fail("package-target",
              "the kernels are for " + target_text(target) +
                  ", but a package holds no device runtime yet; build for host, x86 or arm");
}

}  // namespace

Result<PackageFiles> write_package(const Graph& graph, const Plan& plan,
                                   const CompiledModel& compiled, const PackageOptions& options) {
  FRIT_TRY(check_target(options.target));
  PackageModel model = make_package_model(graph, plan, compiled, options);
  const Result<BuildFolder> folder = BuildFolder::make(options.out_dir);
  if (!folder) return fail(folder.error());
  FRIT_TRY(build_object(model, *folder));
  FRIT_TRY(build_archive(model, *folder));
  const std::string base = options.out_dir + "/";
  PackageFiles files;
  files.c_name = model.c_name;
  files.archive = base + "lib" + model.c_name + ".a";
  files.header = base + model.c_name + ".h";
  files.report = base + model.c_name + ".report.json";
  files.cmake = base + model.c_name + "Config.cmake";
  files.pkg_config = base + model.c_name + ".pc";
  FRIT_TRY(move_into_place(*folder, archive_in(model), files.archive));
  FRIT_TRY(write_file(files.header, header_text(model)));
  FRIT_TRY(write_file(files.report, report_text(model)));
  FRIT_TRY(write_file(files.cmake, cmake_config_text(model)));
  FRIT_TRY(write_file(files.pkg_config, pkg_config_text(model)));
  if (model.weights) {
    files.weights = base + model.c_name + ".weights";
    files.map_weights = base + model.c_name + "_weights.h";
    FRIT_TRY(write_file(files.weights, weights_file_bytes(model)));
    FRIT_TRY(write_file(files.map_weights, map_weights_text(model)));
  }
  if (options.keep_plan) {
    files.plan = base + model.c_name + ".plan.c";
    FRIT_TRY(write_file(files.plan, plan_c_text(model)));
  }
  files.memory = std::move(model.memory);
  return files;
}

Result<SharedObject> write_shared_object(const Graph& graph, const Plan& plan,
                                         const CompiledModel& compiled,
                                         const PackageOptions& options) {
  FRIT_TRY(check_target(options.target));
  PackageModel model = make_package_model(graph, plan, compiled, options);
  model.with_steps = true;
  const Result<BuildFolder> folder = BuildFolder::make(options.out_dir);
  if (!folder) return fail(folder.error());
  FRIT_TRY(build_object(model, *folder));
  FRIT_TRY(build_shared(model, *folder));
  SharedObject made;
  made.c_name = model.c_name;
  made.path = options.out_dir + "/lib" + model.c_name + ".so";
  FRIT_TRY(move_into_place(*folder, shared_in(model), made.path));
  if (model.weights) {
    made.weights = options.out_dir + "/" + model.c_name + ".weights";
    FRIT_TRY(write_file(made.weights, weights_file_bytes(model)));
  }
  made.memory = std::move(model.memory);
  return made;
}

}  // namespace frit

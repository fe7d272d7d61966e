#include "generators/package/package.h"

#include <fmt/format.h>

#include <filesystem>

#include "generators/emit/target.h"
#include "generators/package/build.h"
#include "generators/package/model.h"
#include "generators/package/weights_file.h"
#include "ops/base/output_file.h"

namespace frit {
namespace {

namespace fs = std::filesystem;

Status checked(const std::string& fault) {
  if (!fault.empty()) return fail("package-write", fault);
  return {};
}

/// What the caller wants to lie beside the package.
Status add_extras(const PackageOptions& options, OutputFiles& together) {
  for (const auto& [name, content] : options.extras) {
    const fs::path path = fs::path(options.out_dir) / name;
    std::error_code problem;
    fs::create_directories(path.parent_path(), problem);  // else the next line says why not
    FRIT_TRY(checked(together.add(path.string(), content)));
  }
  return {};
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
  OutputFiles together;
  const auto add = [&](const std::string& path, const std::string& text) {
    return checked(together.add(path, text));
  };
  FRIT_TRY(checked(together.add_made(files.archive, folder->path() + "/" + archive_in(model))));
  FRIT_TRY(add(files.header, header_text(model)));
  FRIT_TRY(add(files.report, report_text(model)));
  FRIT_TRY(add(files.cmake, cmake_config_text(model)));
  FRIT_TRY(add(files.pkg_config, pkg_config_text(model)));
  if (model.weights) {
    files.weights = base + model.c_name + ".weights";
    files.map_weights = base + model.c_name + "_weights.h";
    FRIT_TRY(add(files.weights, weights_file_bytes(model)));
    FRIT_TRY(add(files.map_weights, map_weights_text(model)));
  }
  if (options.keep_plan) {
    files.plan = base + model.c_name + ".plan.c";
    FRIT_TRY(add(files.plan, plan_c_text(model)));
  }
  FRIT_TRY(add_extras(options, together));
  FRIT_TRY(checked(together.put_in_place()));
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
  OutputFiles together;
  FRIT_TRY(checked(together.add_made(made.path, folder->path() + "/" + shared_in(model))));
  if (model.weights) {
    made.weights = options.out_dir + "/" + model.c_name + ".weights";
    FRIT_TRY(checked(together.add(made.weights, weights_file_bytes(model))));
  }
  FRIT_TRY(checked(together.put_in_place()));
  made.memory = std::move(model.memory);
  return made;
}

}  // namespace frit

// Writes a compiled model as one static library, one C header, a report and files that find them;
// or as a shared object with the same functions, for running at once (`frit run`).
//
// The archive holds one prelinked object: kernels, plan, runtime and constants, every symbol local
// but the package's own functions. The same inputs give the same bytes in any folder.
#pragma once

#include <Halide.h>

#include <string>
#include <utility>
#include <vector>

#include "generators/memory/memory_plan.h"

namespace frit {

/// Where a package's constants lie.
enum class Weights : std::uint8_t {
  kInline,    ///< in the archive
  kExternal,  ///< in <m>.weights beside it, which the user's program maps
};

struct PackageOptions {
  std::string name;     ///< of the model; file names and C prefix are made from it (c_names.h)
  std::string out_dir;  ///< made when missing
  Halide::Target target;
  int threads = 1;     ///< most threads that a context may ask for; 1: no pool is linked in
  bool debug = false;  ///< run checks pointers, alignment and overlap of its arguments
  std::string numerics = "precise";  ///< or "fast": what the passes were allowed to do
  Weights weights = Weights::kInline;
  bool keep_plan = false;    ///< also write <name>.plan.c, the plan inside the archive
  std::string model_sha256;  ///< of the model file, for the report; may be empty
  /// Further files: path in out_dir (its folder is made), content.
  std::vector<std::pair<std::string, std::string>> extras;
  std::vector<std::pair<std::string, std::string>> report_notes;  ///< e.g. {"numerics","precise"}
};

struct PackageFiles {
  std::string archive, header, report, cmake, pkg_config;  ///< paths
  std::string weights, map_weights;                        ///< empty where inline
  std::string plan;                                        ///< empty unless keep_plan
  std::string c_name;                                      ///< prefix of the C functions
  MemoryPlan memory;
};

/// Error "package-name" unless the package's header and functions can be called by `name` as it is.
Status check_package_name(const std::string& name);

/// Compiles with $CC (default cc; for another architecture its GNU cross compiler). All files are
/// put in place together at the end: a failure leaves those of an earlier build. Errors:
/// "package-tool" (a tool is missing or failed; notes hold the end of its stderr),
/// "package-write" (a file cannot be written), "package-target" (kernels for a GPU).
Result<PackageFiles> write_package(const Graph& graph, const Plan& plan,
                                   const CompiledModel& compiled, const PackageOptions& options);

struct SharedObject {
  std::string path;
  std::string weights;  ///< file; empty where inline
  std::string c_name;
  MemoryPlan memory;
};

/// The same code as <out_dir>/lib<name>.so. It also exports <m>_step_count and <m>_step
/// (loaded_package.h).
Result<SharedObject> write_shared_object(const Graph& graph, const Plan& plan,
                                         const CompiledModel& compiled,
                                         const PackageOptions& options);

}  // namespace frit

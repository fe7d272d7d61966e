#include "generators/package/model.h"

#include <Halide.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "generators/package/c_names.h"
#include "generators/package/weights_file.h"

namespace frit {
namespace {

/// frit_… names the runtime; the rest are headers that <m>.h would hide from its users.
bool is_taken(const std::string& name) {
  static const std::set<std::string> taken = {
      "assert", "complex",  "ctype",   "errno",     "fcntl",   "fenv",   "float",   "frit",
      "halide", "inttypes", "limits",  "locale",    "math",    "memory", "pthread", "sched",
      "setjmp", "signal",   "stdarg",  "stdatomic", "stdbool", "stddef", "stdint",  "stdio",
      "stdlib", "string",   "strings", "threads",   "time",    "unistd", "wchar",   "wctype"};
  return taken.count(name) != 0;
}

/// Of the compiler and the systems around it: where lib<m>.a lies in a folder of -L, `-lm` (which
/// compilers add of their own) would take it for them.
bool is_system_library(const std::string& name) {
  static const std::set<std::string> libraries = {
      "OpenCL",  "anl",      "asan",     "atomic", "backtrace", "blas",  "c",     "crypt",
      "cublas",  "cuda",     "cudart",   "cudnn",  "dl",        "g",     "gcc",   "gcc_eh",
      "gcc_s",   "gcov",     "gfortran", "gomp",   "gthread",   "iomp5", "itm",   "lapack",
      "lsan",    "m",        "mvec",     "nccl",   "nsl",       "nvrtc", "omp",   "protobuf",
      "pthread", "quadmath", "resolv",   "rt",     "ssp",       "tsan",  "ubsan", "unwind",
      "util",    "uuid",     "vulkan",   "z"};
  return libraries.count(name) != 0;
}

}  // namespace

const Group& PackageModel::group_of(const Kernel& kernel) const {
  const auto found = std::find_if(plan.groups.begin(), plan.groups.end(),
                                  [&](const Group& group) { return group.id == kernel.group; });
  FRIT_ASSERT(found != plan.groups.end(), "kernel " + kernel.symbol + " belongs to no group");
  return *found;
}

std::vector<CpuLevel> PackageModel::levels() const {
  std::vector<CpuLevel> all;
  for (const CompiledModel::Level& lower : compiled.lower_levels) all.push_back(lower.level);
  if (compiled.level.number != 0) all.push_back(compiled.level);
  return all;
}

PackageModel make_package_model(const Graph& graph, const Plan& plan, const CompiledModel& compiled,
                                const PackageOptions& options) {
  PackageModel model{graph,
                     plan,
                     compiled,
                     options,
                     plan_memory(graph, plan, compiled),
                     c_identifier(options.name),
                     {},
                     {},
                     {}};
  if (model.c_name.empty()) model.c_name = "model";
  if (is_taken(model.c_name) || is_system_library(model.c_name)) model.c_name += "_model";
  std::vector<std::string> inputs, outputs;
  for (const ValueId input : graph.inputs) inputs.push_back(graph.value(input).name);
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) outputs.push_back(graph.output_name(i));
  model.input_names = c_identifiers(inputs, "input", {});
  model.output_names = c_identifiers(outputs, "output", model.input_names);
  if (options.weights == Weights::kExternal) model.weights = weights_header(model.memory);
  return model;
}

Status check_package_name(const std::string& name) {
  if (c_identifier(name) != name || name.empty()) {
    return fail(
        "package-name",
        fmt::format("'{}' is no name for C functions: they are of at most 56 letters, digits "
                    "and '_', start with a letter and are no word of C or C++; use '{}'",
                    name, c_identifier(name).empty() ? "model" : c_identifier(name)));
  }
  if (is_system_library(name)) {
    return fail("package-name",
                fmt::format("'{}' is the name of a usual library, which lib{}.a would hide where "
                            "programs are linked with -l{}; use '{}_model'",
                            name, name, name, name));
  }
  if (!is_taken(name)) return {};
  return fail("package-name",
              fmt::format("'{}' is the name of a system header or of frit's runtime, "
                          "which {}.h would hide; use '{}_model'",
                          name, name, name));
}

std::string frit_version() { return FRIT_VERSION; }

std::vector<std::string> exported_functions(const PackageModel& model) {
  std::vector<std::string> names = {"arena_bytes", "init", "run", "release", "error_text"};
  if (model.compiled.level.number != 0) names.push_back("cpu_level");
  if (model.with_steps) names.insert(names.end(), {"step_count", "step"});
  return names;
}

std::vector<std::byte> constants_blob(const MemoryPlan& memory) {
  std::vector<std::byte> blob(static_cast<std::size_t>(memory.constant_bytes), std::byte{0});
  for (std::size_t i = 0; i < memory.constants.size(); ++i) {
    const auto bytes = memory.constants[i].bytes();
    std::copy(bytes.begin(), bytes.end(), blob.begin() + memory.constant_offsets[i]);
  }
  return blob;
}

std::vector<std::byte> element_bytes_of(DType dtype, double value) {
  const Tensor scalar = Tensor::scalar(dtype, value);
  return {scalar.bytes().begin(), scalar.bytes().end()};
}

}  // namespace frit

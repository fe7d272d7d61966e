// What the writers of a package share: the compiled model, its memory and its names in C.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generators/package/package.h"
#include "runtime/weights.h"

namespace frit {

/// Views into the caller's objects; lives for one call of write_package.
struct PackageModel {
  const Graph& graph;
  const Plan& plan;
  const CompiledModel& compiled;
  const PackageOptions& options;
  MemoryPlan memory;
  std::string c_name;                    ///< "ocr_rec"
  std::vector<std::string> input_names;  ///< C members of the io struct, in graph order
  std::vector<std::string> output_names;
  std::optional<frit_weights_header> weights;  ///< none: the constants are in the archive
  bool with_steps = false;                     ///< also export <m>_step_count and <m>_step

  const Group& group_of(const Kernel& kernel) const;
  /// CPU levels that it holds kernels for, ascending; empty where it has one target.
  std::vector<CpuLevel> levels() const;
};

PackageModel make_package_model(const Graph& graph, const Plan& plan, const CompiledModel& compiled,
                                const PackageOptions& options);

/// Version of frit, as in the report and the header.
std::string frit_version();

/// Functions that a package exports, without the prefix: "arena_bytes", "init" …
std::vector<std::string> exported_functions(const PackageModel& model);

std::string header_text(const PackageModel& model);        // header.cpp
std::string plan_c_text(const PackageModel& model);        // plan_c.cpp
std::string report_text(const PackageModel& model);        // report.cpp
std::string cmake_config_text(const PackageModel& model);  // config_files.cpp
std::string pkg_config_text(const PackageModel& model);

/// The blob of constants as MemoryPlan lays it out.
std::vector<std::byte> constants_blob(const MemoryPlan& memory);

/// The bytes of one element of `dtype` with value `value` (integers saturate).
std::vector<std::byte> element_bytes_of(DType dtype, double value);

}  // namespace frit

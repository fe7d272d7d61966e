// What a package's report says of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ops/base/result.h"
#include "ops/base/tensor_type.h"

namespace frit {

/// What DIR/<name>.report.json says of a package.
struct PackageFacts {
  std::string folder, c_name, target, model_sha256;
  int threads = 1;
  std::vector<TensorType> inputs, outputs;
  std::vector<std::string> onnx_nodes;
  std::string level_name;    ///< of DIR@LEVEL; empty: the highest that this CPU has
  int cpu_level = 0;         ///< its number
  std::string weights_file;  ///< in the folder; empty: the weights are in the archive
  std::string schedule_sha;  ///< of the names of all groups' schedules and their hashes
};

/// `folder` may end in @LEVEL, a CPU level of the package to be run. Errors: "package-report" (none
/// or several in the folder, or not frit's), "package-level" (not one of the package's).
Result<PackageFacts> read_package_facts(const std::string& folder);

/// The same of a report's text; `level` empty: none asked for. `file` for messages. What it lets
/// pass can be trusted: names without folders, sizes that fit this machine's numbers.
Result<PackageFacts> parse_report(std::string_view text, const std::string& file,
                                  const std::string& folder, const std::string& level);

}  // namespace frit

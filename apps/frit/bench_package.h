// A built package (archive and report) loaded into this process to be timed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ops/base/result.h"
#include "ops/base/tensor.h"

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

class BenchPackage {
 public:
  /// Links the archive into scratch/<number>.so and loads it, with inputs of random:0. Errors:
  /// "package-tool", "package-load", "package-run".
  static Result<BenchPackage> load(PackageFacts facts, const std::string& scratch, int number);
  BenchPackage(BenchPackage&&) noexcept;
  BenchPackage& operator=(BenchPackage&&) noexcept;
  ~BenchPackage();

  const PackageFacts& facts() const;
  Status run();
  /// Nanoseconds of one run, which must have succeeded before.
  std::int64_t timed_run_ns();
  /// Of the last run.
  std::vector<Tensor> outputs() const;

 private:
  struct Impl;
  explicit BenchPackage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace frit

// A built package (archive and report) loaded into this process to be timed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/frit/package_facts.h"
#include "ops/base/result.h"
#include "ops/base/tensor.h"

namespace frit {

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

// A package's shared object loaded into this process: the JIT mode (`frit run`, `frit verify`).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "generators/package/package.h"

namespace frit {

class LoadedPackage {
 public:
  /// Loads and initialises with `threads` (at most the package's), at a CPU
  /// level of it (0: the highest). Errors: "package-load" with the
  /// loader's own words, "package-run" with the sentence of a code.
  static Result<LoadedPackage> load(const SharedObject& object, const Graph& graph, int threads,
                                    int cpu_level = 0);
  LoadedPackage(LoadedPackage&&) noexcept;
  LoadedPackage& operator=(LoadedPackage&&) noexcept;
  ~LoadedPackage();

  std::size_t arena_bytes() const;
  int steps() const;
  /// Inputs in graph order, of the graph's types (else "package-input"). Returns the outputs.
  Result<std::vector<Tensor>> run(const std::vector<Tensor>& inputs);
  /// The same, given and kept in the caller's memory: pointers in graph order.
  Status run(const std::vector<const void*>& inputs, const std::vector<void*>& outputs);
  /// One step of a run (kernel `step` of the compiled model); -1 and steps() are the copies.
  Status step(const std::vector<const void*>& inputs, const std::vector<void*>& outputs, int step);

 private:
  struct Impl;
  explicit LoadedPackage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace frit

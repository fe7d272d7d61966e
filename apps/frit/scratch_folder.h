// A temporary folder that goes with its owner.
#pragma once

#include <string>

#include "ops/base/result.h"

namespace frit {

class ScratchFolder {
 public:
  /// Error "run-scratch" where the system's temporary folder cannot be written.
  static Result<ScratchFolder> make();
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ~ScratchFolder();

  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path);
  std::string path_;
};

}  // namespace frit
